package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.server.config.ListenAddress;
import petrichor.server.config.ServerConfig;

class ServerLifeTest {
    @TempDir Path folder;

    @Test
    void aPortInUseIsNamedWithTheRemedy() {
        try (TestServer first = TestServer.start()) {
            ServerConfig same = ServerConfig.defaults().withMemory().withPort(first.port());
            assertThatThrownBy(() -> Server.start(same).close())
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            refused -> assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining(":" + first.port())
                    .hasMessageContaining("--port");
            assertThat(first.get("/livez").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void anOpenAddressWithoutAuthenticationIsRefusedFirst() {
        ServerConfig open = everywhere(false).withData(folder.resolve("never"));
        assertThatThrownBy(() -> Server.start(open).close())
                .hasMessageContaining("refusing to listen on 0.0.0.0")
                .hasMessageContaining("--insecure");
        assertThat(folder.resolve("never")).doesNotExist();
    }

    @Test
    void anOpenAddressIsAllowedWithInsecureOrAToken() {
        assertThatCode(() -> ListenAddress.of(everywhere(true))).doesNotThrowAnyException();
        assertThatCode(() -> ListenAddress.of(everywhere(false).withToken("s3cr3t")))
                .doesNotThrowAnyException();
    }

    @Test
    void anUnknownHostIsRefused() {
        ServerConfig unknown =
                ServerConfig.defaults()
                        .withServer(
                                new ServerConfig.Listen(
                                        "no such host", 0, false, Duration.ofSeconds(1)));
        assertThatThrownBy(() -> Server.start(unknown).close())
                .hasMessageContaining("not an address of this machine");
    }

    @Test
    @Timeout(120)
    void shutdownEndsAServerInMemory() throws InterruptedException {
        try (TestServer server = TestServer.start()) {
            assertThat(server.post("/shutdown", "").body()).startsWith("Shutting down");
            server.server().awaitShutdown();
            assertThat(server.get("/readyz").statusCode()).isEqualTo(503);
            assertThat(server.get("/readyz").body()).contains("[-]serving");
        }
    }

    @Test
    void aServerWithAFolderNeitherResetsNorShutsDownOverHttp() {
        try (TestServer server =
                TestServer.start(config -> config.withData(folder.resolve("data")))) {
            assertThat(server.post("/reset", "").statusCode()).isEqualTo(403);
            assertThat(server.post("/shutdown", "").body()).contains("--memory");
            assertThat(server.get("/readyz?verbose").body()).contains("[+]store ok");
            assertThat(server.get("/metrics").body()).contains("petrichor_store_bytes");
        }
    }

    @Test
    void aFolderServesOneServerAtATime() {
        try (TestServer first =
                TestServer.start(config -> config.withData(folder.resolve("data")))) {
            ServerConfig same =
                    ServerConfig.defaults().withData(first.server().config().store().data());
            assertThatThrownBy(() -> Server.start(same.withPort(0)).close())
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("data");
        }
        try (TestServer again =
                TestServer.start(config -> config.withData(folder.resolve("data")))) {
            assertThat(again.get("/livez").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void resetLeavesTheServerServing() {
        try (TestServer server = TestServer.start()) {
            assertThat(server.post("/reset", "").statusCode()).isEqualTo(200);
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
        }
    }

    @Test
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void closeIsIdempotent() {
        Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0));
        server.close();
        assertThatCode(server::close).doesNotThrowAnyException();
    }

    private static ServerConfig everywhere(boolean insecure) {
        return ServerConfig.defaults()
                .withServer(new ServerConfig.Listen("0.0.0.0", 0, insecure, Duration.ofSeconds(1)));
    }
}
