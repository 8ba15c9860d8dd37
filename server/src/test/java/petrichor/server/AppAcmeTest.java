package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.router.tls.CertificateFiles;
import petrichor.apps.router.tls.DevelopmentAuthority;
import petrichor.base.PetrichorException;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;
import petrichor.testing.process.Pause;
import petrichor.testing.process.PebbleServer;

/** Certificates for the domains of a deployed app that wants TLS everywhere. */
@Timeout(300)
class AppAcmeTest {
    private static final Map<String, String> APP =
            Map.of(
                    "app.yaml",
                    """
                    runtime: python
                    entrypoint: python -m http.server $PORT --bind 127.0.0.1
                    handlers:
                    - url: /.*
                      script: auto
                      secure: always
                    """,
                    "main.py",
                    "");

    @TempDir private Path folder;

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    @Tag("slow")
    @Test
    void aDomainGetsACertificate() throws Exception {
        DevelopmentAuthority authority = DevelopmentAuthority.openOrCreate(folder.resolve("own"));
        CertificateFiles own = authority.issue("localhost", List.of("localhost"));
        int port = freePort();
        try (PebbleServer pebble =
                        PebbleServer.start(
                                folder.resolve("pebble"),
                                new PebbleServer.Identity(
                                        own.chain(), own.key(), authority.certificate()),
                                port);
                HostingServer server =
                        HostingServer.in(
                                folder,
                                Map.of(
                                        "PETRICHOR_APPS__PORT", Integer.toString(port),
                                        "PETRICHOR_APPS__TLS_PORT", Integer.toString(freePort()),
                                        "PETRICHOR_APPS__ACME_DIRECTORY",
                                                pebble.directory().toString(),
                                        "PETRICHOR_APPS__ACME_EMAIL", "ann@example.com",
                                        "PETRICHOR_APPS__ACME_ACCEPT_TERMS", "true",
                                        "PETRICHOR_APPS__ACME_AUTHORITY",
                                                pebble.authority().toString()))) {
            JsonObject deployed = server.deploy("project=demo&version=v1", APP);
            assertThat(deployed.has("deployed")).as(deployed.toString()).isTrue();
            add(server, "www.example.com");
            assertThat(until(server, "expires")).contains("www.example.com");
            // The certificate is there a moment before the order has ended.
            assertThat(until(server, "\"order\":\"waiting\"")).contains("expires");
            add(server, PebbleServer.BLOCKED);
            assertThat(until(server, "failed")).contains("issuance is forbidden by policy");
        }
    }

    private static void add(HostingServer server, String host) throws Exception {
        String change = "{\"action\": \"add\", \"host\": \"" + host + "\"}";
        HttpRequest.Builder request =
                server.request("/petrichor/v1/apps/demo/domains")
                        .POST(HttpRequest.BodyPublishers.ofString(change));
        assertThat(server.send(request).statusCode()).isEqualTo(200);
    }

    /** The domains when they contain this word. */
    private static String until(HostingServer server, String word) throws Exception {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (true) {
            String domains =
                    JsonParser.parseString(server.read("/petrichor/v1/apps/demo/domains"))
                            .toString();
            if (domains.contains(word)) {
                return domains;
            }
            assertThat(System.nanoTime()).as(domains).isLessThan(end);
            Pause.briefly();
        }
    }

    @Test
    void theTermsMustBeAccepted() {
        Map<String, String> settings =
                Map.of(
                        "PETRICHOR_APPS__TLS_PORT", "8443",
                        "PETRICHOR_APPS__ACME_DIRECTORY", "https://acme.example/directory");
        assertThatThrownBy(
                        () -> ServerConfig.of(Settings.read(Optional.empty(), settings, Map.of())))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("apps.acme-accept-terms = true");
    }
}
