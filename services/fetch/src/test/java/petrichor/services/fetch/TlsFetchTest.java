package petrichor.services.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.services.fetch.Fetching.fetched;
import static petrichor.services.fetch.Fetching.request;

import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.MemoryBudget;
import petrichor.services.fetch.FetchRequest.Method;
import petrichor.services.fetch.FetchRequest.Option;
import petrichor.services.fetch.FetchResult.Reason;

final class TlsFetchTest {
    private static final char[] PASSWORD = "password".toCharArray();

    @TempDir Path folder;

    @Test
    void aCertificateMustBeTrustedAndNameTheHost() throws Exception {
        SSLContext context = certificate("server.example");
        try (EchoServer server = EchoServer.startTls(context);
                Fetching trusting = fetching(TlsContexts.trustedBy(context));
                Fetching ordinary = fetching(TlsContexts.system())) {
            String url = "https://server.example:" + server.port() + "/";
            String misnamed = "https://other.example:" + server.port() + "/";
            assertThat(trusting.get(url).status()).isEqualTo(200);
            assertThat(trusting.failure(misnamed)).isEqualTo(Reason.SSL_CERTIFICATE_ERROR);
            assertThat(ordinary.failure(url)).isEqualTo(Reason.SSL_CERTIFICATE_ERROR);
            assertThat(server.requests).hasValue(1);

            Set<Option> unchecked = Set.of(Option.FOLLOW_REDIRECTS);
            for (String any : List.of(url, misnamed)) {
                assertThat(
                                fetched(ordinary.fetch(request(Method.GET, any, "", unchecked)))
                                        .status())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void aServerWithoutTlsIsReported() {
        try (RawServer server = RawServer.answering("HTTP/1.1 400 Bad Request\r\n\r\n");
                Fetching fetching = fetching(TlsContexts.system())) {
            assertThat(fetching.failure(server.url().replace("http:", "https:")))
                    .isEqualTo(Reason.SSL_CERTIFICATE_ERROR);
        }
    }

    private static Fetching fetching(TlsContexts tls) {
        return new Fetching(
                _ -> new InetAddress[] {InetAddress.ofLiteral("127.0.0.1")},
                tls,
                FetchLimits.DEFAULT,
                MemoryBudget.unlimited(),
                "127.0.0.0/8");
    }

    /** A context whose certificate is its own authority. */
    private SSLContext certificate(String name) throws Exception {
        Path file = folder.resolve("store.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "server",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=" + name,
                                "-ext",
                                "SAN=dns:" + name,
                                "-ext",
                                "BC=ca:true",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                file.toString(),
                                "-storepass",
                                new String(PASSWORD))
                        .inheritIO()
                        .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream stored = Files.newInputStream(file)) {
            store.load(stored, PASSWORD);
        }
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", store.getCertificate("server"));
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
