package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.server.config.ConfigKey;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** Tests that a start releases the leases that a killed server left behind. */
@Timeout(60)
final class SettledLeasesTest {
    @TempDir private Path folder;

    @Test
    void aServerReleasesOldLeasesAtItsStart() throws Exception {
        Path leased = Files.createDirectories(folder.resolve("leased"));
        Files.createDirectory(leased.resolve("20261122-101500-3fa2"));
        ServerConfig config =
                ServerConfig.of(
                        Settings.read(
                                Optional.empty(),
                                Map.of(),
                                Map.of(
                                        ConfigKey.STORE_MEMORY,
                                        "true",
                                        ConfigKey.SERVER_PORT,
                                        "0",
                                        ConfigKey.JOBS_FOLDER,
                                        folder.toString())));
        try (WatchService watch = leased.getFileSystem().newWatchService()) {
            leased.register(watch, StandardWatchEventKinds.ENTRY_DELETE);
            try (Server _ = Server.start(config)) {
                WatchKey settled = watch.poll(30, TimeUnit.SECONDS);
                assertThat(settled).as("a deletion in the folder of leases").isNotNull();
            }
        }
        assertThat(leased).isEmptyDirectory();
    }
}
