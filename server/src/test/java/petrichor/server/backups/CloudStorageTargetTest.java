package petrichor.server.backups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

/** Backups in a bucket of another Petrichor. */
class CloudStorageTargetTest extends CloudStorageTests {
    private static Server server;

    @BeforeAll
    static void start() throws Exception {
        server = Server.start(ServerConfig.defaults().withMemory().withPort(0));
        try (HttpClient client = HttpClient.newHttpClient()) {
            int status =
                    client.send(
                                    HttpRequest.newBuilder(
                                                    at(server)
                                                            .resolve("/storage/v1/b?project=demo"))
                                            .POST(
                                                    HttpRequest.BodyPublishers.ofString(
                                                            "{\"name\": \"" + BUCKET + "\"}"))
                                            .build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode();
            assertThat(status).isEqualTo(200);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static URI at(Server server) {
        return URI.create("http://127.0.0.1:" + server.port());
    }

    @Override
    URI endpoint() {
        return at(server);
    }

    @Test
    void anUnreachableServerIsReported() {
        BackupTargets.open("gs://backups/x?endpoint=http://127.0.0.1:1");
        CloudStorageAddress address =
                CloudStorageAddress.parse("gs://backups/x?endpoint=http://127.0.0.1:1");
        CloudStorageTarget target =
                new CloudStorageTarget(
                        address, CloudStorageConnection.open(address, Duration.ofMillis(100)));
        assertThatThrownBy(() -> target.list(""))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failed -> assertThat(failed.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void addressesNameABucketAPrefixAndAnEndpoint() {
        CloudStorageAddress address =
                CloudStorageAddress.parse("gs://my-bucket/a/b/?endpoint=http%3A%2F%2Fhost:1");
        assertThat(address.object("x")).isEqualTo("a/b/x");
        assertThat(address.endpoint()).contains(URI.create("http://host:1"));
        assertThat(address).hasToString("gs://my-bucket/a/b");
        assertThat(CloudStorageAddress.parse("gs://my-bucket").object("x")).isEqualTo("x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gs://",
                "gs://B",
                "gs://my-bucket?zone=1",
                "gs://my-bucket?endpoint=ftp://host",
                "gs://my-bucket?endpoint=http://user:secret@host",
                "gs://my-bucket?endpoint=http://"
            })
    void otherAddressesAreInvalid(String text) {
        assertThatThrownBy(() -> BackupTargets.open(text))
                .hasMessageContaining("gs://BUCKET/PREFIX");
    }
}
