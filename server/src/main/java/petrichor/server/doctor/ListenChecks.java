package petrichor.server.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import petrichor.base.FileProblem;

/** Checks the listen address and the TLS certificate. */
final class ListenChecks {
    private static final Duration RENEW_BEFORE = Duration.ofDays(30);

    private ListenChecks() {}

    static Finding port(List<InetAddress> hosts, int port) {
        if (port == 0) {
            return Finding.ok("port", "a free port is chosen at start");
        }
        for (InetAddress host : hosts) {
            InetSocketAddress address = new InetSocketAddress(host, port);
            try (ServerSocket socket = new ServerSocket()) {
                socket.setReuseAddress(true);
                socket.bind(address);
            } catch (IOException taken) {
                return Finding.warning(
                        "port",
                        "cannot listen on "
                                + host.getHostAddress()
                                + ":"
                                + port
                                + ": "
                                + FileProblem.reason(taken),
                        "if it is not a running Petrichor, stop the process that uses the port, or"
                                + " set server.port");
            }
        }
        return Finding.ok(
                "port",
                port
                        + " is free on "
                        + hosts.stream()
                                .map(InetAddress::getHostAddress)
                                .collect(Collectors.joining(", ")));
    }

    static Finding certificate(String check, Path file, Instant now) {
        try (InputStream stream = Files.newInputStream(file)) {
            X509Certificate own =
                    (X509Certificate)
                            CertificateFactory.getInstance("X.509").generateCertificate(stream);
            Instant end = own.getNotAfter().toInstant();
            String what = file + " is valid until " + end;
            if (end.isBefore(now)) {
                return Finding.failed(check, file + " expired at " + end, "renew the certificate");
            }
            return end.isBefore(now.plus(RENEW_BEFORE))
                    ? Finding.warning(check, what, "renew the certificate")
                    : Finding.ok(check, what);
        } catch (IOException | CertificateException unusable) {
            return Finding.failed(
                    check,
                    "cannot use " + file + ": " + unusable.getMessage(),
                    "it must be a PEM file, the server's own certificate first");
        }
    }
}
