package petrichor.server;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.analytics.Analytics;
import petrichor.analytics.AnalyticsSettings;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.SqlSettings;

/**
 * Where the process for analytics keeps copies of tables while it runs: below the data of the
 * embedded store, or in a folder for temporary files, named by the process of the server.
 */
final class AnalyticsFolder {
    private static final Logger LOG = LoggerFactory.getLogger(AnalyticsFolder.class);
    private static final String PREFIX = "petrichor-analytics-";

    private AnalyticsFolder() {}

    /** The engine with the limits of the configuration; empty if it is off. */
    static Optional<Analytics> analytics(ServerConfig config) {
        SqlSettings sql = config.server().sql();
        return sql.analyticsMemoryBytes()
                .map(
                        memoryBytes ->
                                Analytics.open(
                                        new AnalyticsSettings(
                                                folder(config),
                                                memoryBytes,
                                                sql.analyticsDiskBytes(),
                                                AnalyticsSettings.defaultThreads())));
    }

    private static Path folder(ServerConfig config) {
        Path parent =
                config.store().memory()
                        ? Path.of(System.getProperty("java.io.tmpdir"))
                        : config.store().data();
        removeLeftovers(parent);
        return parent.resolve(PREFIX + ProcessHandle.current().pid());
    }

    /** Folders of servers that were killed. */
    private static void removeLeftovers(Path parent) {
        if (!Files.isDirectory(parent)) {
            return;
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path folder : folders) {
                if (!alive(folder.getFileName().toString().substring(PREFIX.length()))) {
                    Analytics.delete(folder);
                }
            }
        } catch (IOException | DirectoryIteratorException failed) {
            LOG.warn("cannot remove copies of tables of an earlier server", failed);
        }
    }

    private static boolean alive(String id) {
        try {
            return ProcessHandle.of(Long.parseLong(id)).isPresent();
        } catch (NumberFormatException other) {
            return true;
        }
    }
}
