package petrichor.kv.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Certificates for one test run, created by {@code openssl}: an authority, a server's certificate
 * for the loopback addresses but not for the name localhost, a client's certificate, and an
 * authority that has issued none of them. All PEM.
 */
public record TestCertificates(Path folder) {
    private static final String NAMES = "subjectAltName=IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3";
    private static final String DAYS = "30";

    public static TestCertificates make() {
        return make(NAMES);
    }

    /** For a server known only by its name, not by an address. */
    public static TestCertificates forLocalhost() {
        return make("subjectAltName=DNS:localhost");
    }

    private static TestCertificates make(String serverNames) {
        try {
            TestCertificates made =
                    new TestCertificates(Files.createTempDirectory("petrichor-certificates-"));
            made.authority("authority");
            made.authority("stranger");
            made.issue("server", serverNames);
            made.issue("client", "extendedKeyUsage=clientAuth");
            Runtime.getRuntime().addShutdownHook(new Thread(made::delete));
            return made;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void delete() {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException left) {
            // The run has ended; the rest stays in the temporary folder.
        }
    }

    public Path authority() {
        return folder.resolve("authority.pem");
    }

    /** An authority that has issued nothing. */
    public Path stranger() {
        return folder.resolve("stranger.pem");
    }

    public Path server() {
        return folder.resolve("server.pem");
    }

    public Path serverKey() {
        return folder.resolve("server.key");
    }

    /** The files of a server, relative to its settings: {@code server.both} is key and chain. */
    public Map<String, String> files() {
        return Map.of(
                "tls/authority.pem", text(authority()),
                "tls/server.pem", text(server()),
                "tls/server.key", text(serverKey()),
                "tls/both.pem", text(serverKey()) + text(server()));
    }

    /** Address options: trusts our authority, and presents the client's certificate. */
    public String options() {
        return trustOptions()
                + "&tls-certificate="
                + folder.resolve("client.pem")
                + "&tls-key="
                + folder.resolve("client.key");
    }

    /** Like {@link #options}, for clients that read key and certificate from one file. */
    public String optionsWithOneFile() {
        Path both = folder.resolve("client-both.pem");
        try {
            Files.writeString(
                    both, text(folder.resolve("client.key")) + text(folder.resolve("client.pem")));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return trustOptions() + "&tls-certificate=" + both + "&tls-key=" + both;
    }

    /** Address options: trusts our authority, and presents no certificate. */
    public String trustOptions() {
        return "tls=on&tls-trust=" + authority();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private void authority(String name) {
        run(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days "
                        + DAYS
                        + " -subj /CN="
                        + name
                        + " -keyout "
                        + name
                        + ".key -out "
                        + name
                        + ".pem");
    }

    private void issue(String name, String extension) throws IOException {
        Files.writeString(folder.resolve(name + ".ext"), extension + "\n");
        run(
                "req -newkey rsa:2048 -nodes -subj /CN="
                        + name
                        + " -keyout "
                        + name
                        + ".key -out "
                        + name
                        + ".csr");
        run(
                "x509 -req -days "
                        + DAYS
                        + " -CA authority.pem -CAkey authority.key -CAcreateserial -extfile "
                        + name
                        + ".ext -in "
                        + name
                        + ".csr -out "
                        + name
                        + ".pem");
    }

    private void run(String arguments) {
        List<String> command = new ArrayList<>(List.of("openssl"));
        command.addAll(List.of(arguments.split(" ", -1)));
        try {
            Process process =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .start();
            process.getOutputStream().close();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("openssl " + arguments + " failed: " + said);
            }
        } catch (IOException missing) {
            throw new UncheckedIOException("tests of TLS need the program openssl", missing);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
