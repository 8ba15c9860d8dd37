package petrichor.apps.router.tls;

import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The certificates of the router, by host. Handshakes use the state after the last successful
 * {@link #reload}; connections that are open keep their certificate. Thread-safe.
 */
public final class RouterCertificates {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    private final List<CertificateFiles> files;
    private volatile Loaded loaded;

    private record Loaded(
            Map<String, SslContext> byHost, SslContext first, List<FileTime> modified) {}

    private RouterCertificates(List<CertificateFiles> files, Loaded loaded) {
        this.files = List.copyOf(files);
        this.loaded = loaded;
    }

    /**
     * FAILED_PRECONDITION if a file cannot be used.
     *
     * @param files at least one; clients that ask for an unknown host, or for none, get the first
     */
    public static RouterCertificates open(List<CertificateFiles> files) {
        return new RouterCertificates(files, load(files));
    }

    /** The TLS context for a host; any one if there is none for it. */
    public SslContext context(@Nullable String host) {
        Loaded current = loaded;
        if (host == null) {
            return current.first();
        }
        String name = host.toLowerCase(Locale.ROOT);
        SslContext exact = current.byHost().get(name);
        int dot = name.indexOf('.');
        SslContext found =
                exact == null && dot > 0 ? current.byHost().get("*" + name.substring(dot)) : exact;
        return found == null ? current.first() : found;
    }

    /**
     * Reads the files again if one has changed; keeps the certificates if that fails, for example
     * because only one of two files was replaced so far. Blocks.
     *
     * @return whether there are new certificates
     */
    public synchronized boolean reload() {
        if (loaded.modified().equals(modified(files))) {
            return false;
        }
        loaded = load(files);
        return true;
    }

    private static List<FileTime> modified(List<CertificateFiles> files) {
        List<FileTime> times = new ArrayList<>();
        for (CertificateFiles each : files) {
            for (Path file : List.of(each.chain(), each.key())) {
                try {
                    times.add(Files.getLastModifiedTime(file));
                } catch (IOException missing) {
                    times.add(FileTime.fromMillis(0));
                }
            }
        }
        return times;
    }

    private static Loaded load(List<CertificateFiles> files) {
        if (files.isEmpty()) {
            throw PetrichorException.invalid("TLS needs at least one certificate");
        }
        List<FileTime> modified = modified(files);
        Map<String, SslContext> byHost = new LinkedHashMap<>();
        SslContext first = null;
        for (CertificateFiles each : files) {
            try {
                SslContext context = context(each);
                first = first == null ? context : first;
                for (String host : hosts(each.chain())) {
                    byHost.putIfAbsent(host, context);
                }
            } catch (IOException | CertificateException | IllegalArgumentException unusable) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        unusable,
                        "cannot use the certificate {chain} with the key {key}: both must be PEM"
                                + " files, the key PKCS 8 without a password ({reason})",
                        "chain",
                        each.chain(),
                        "key",
                        each.key(),
                        "reason",
                        unusable.getMessage());
            }
        }
        if (first == null) {
            throw new IllegalStateException("the list is not empty");
        }
        return new Loaded(Map.copyOf(byHost), first, modified);
    }

    private static SslContext context(CertificateFiles files) throws IOException {
        return SslContextBuilder.forServer(files.chain().toFile(), files.key().toFile())
                .sslProvider(SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .applicationProtocolConfig(
                        new ApplicationProtocolConfig(
                                ApplicationProtocolConfig.Protocol.ALPN,
                                ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                                ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                                ApplicationProtocolNames.HTTP_2,
                                ApplicationProtocolNames.HTTP_1_1))
                .build();
    }

    private static List<String> hosts(Path chain) throws IOException, CertificateException {
        try (InputStream in = Files.newInputStream(chain)) {
            X509Certificate certificate =
                    (X509Certificate)
                            CertificateFactory.getInstance("X.509").generateCertificate(in);
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            List<String> hosts = new ArrayList<>();
            for (List<?> name : names == null ? List.<List<?>>of() : names) {
                if (name.get(0) instanceof Integer kind
                        && (kind == DNS_NAME || kind == IP_ADDRESS)) {
                    hosts.add(String.valueOf(name.get(1)).toLowerCase(Locale.ROOT));
                }
            }
            return hosts;
        }
    }
}
