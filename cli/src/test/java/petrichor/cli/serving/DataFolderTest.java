package petrichor.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

/** Tests commands that open a data folder directly. */
final class DataFolderTest {
    private static final String CITY =
            "{\"key\": {\"path\": [{\"kind\": \"City\", \"name\": \"Lisboa\"}]}}\n";

    @Test
    void aFolderIsFilledAndReadWithoutAServer(@TempDir Path folder) {
        String data = folder.resolve("data").toString();
        assertThat(CommandRun.withInput(CITY, "import", "-", "--data", data).code()).isZero();
        CommandRun found = CommandRun.of("gql", "SELECT * FROM City", "--data", data);
        assertThat(found.code()).isZero();
        assertThat(found.out()).contains("City:\"Lisboa\"");
        assertThat(CommandRun.of("export", "--data", data).out().lines()).hasSize(1);
    }

    @Test
    void aFolderThatAServerHasOpenIsLeftAlone(@TempDir Path folder) {
        try (Server server =
                Server.start(ServerConfig.defaults().withData(folder.resolve("d")).withPort(0))) {
            assertThat(server.port()).isPositive();
            CommandRun run = CommandRun.of("export", "--data", folder.resolve("d").toString());
            assertThat(run.code()).isEqualTo(3);
            assertThat(run.err()).contains(folder.resolve("d").toString()).doesNotContain("\tat ");
        }
    }
}
