package petrichor.server.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;

/**
 * The folder of the apps of this server, beside the data folder unless it is configured. Users of
 * builds and instances pass it; the data folder is private. Created with its first use.
 * Thread-safe.
 */
final class HostingFolder {
    private final Optional<Path> configured;
    private final Optional<Path> data;
    private @Nullable Path folder;

    /**
     * @param configured empty for the default
     * @param data the data folder; empty if the data is in memory or on other servers
     */
    HostingFolder(Optional<Path> configured, Optional<Path> data) {
        this.configured = configured;
        this.data = data;
    }

    synchronized Path path() {
        Path known = folder;
        if (known != null) {
            return known;
        }
        try {
            Path created =
                    configured
                            .or(() -> data.map(HostingFolder::beside))
                            .orElseGet(HostingFolder::temporary);
            Files.createDirectories(created);
            Files.setPosixFilePermissions(created, PosixFilePermissions.fromString("rwx--x--x"));
            folder = created;
            return created;
        } catch (IOException e) {
            throw FileProblem.of("cannot create the folder of apps", e);
        }
    }

    private static Path beside(Path data) {
        return data.toAbsolutePath().resolveSibling(data.getFileName() + "-apps");
    }

    /** Without a data folder, the apps of this process end with it. */
    private static Path temporary() {
        try {
            return Files.createTempDirectory("petrichor-apps");
        } catch (IOException e) {
            throw FileProblem.of("cannot create the folder of apps", e);
        }
    }

    /** Where keys and certificates are. */
    Path secrets() {
        return data.orElseGet(this::path);
    }

    /** Folders that apps must not see. */
    List<Path> hidden() {
        List<Path> hidden = new ArrayList<>(List.of(path()));
        data.ifPresent(hidden::add);
        return hidden;
    }

    /** Of the Git remotes, which only the server reads. */
    Path repositories() {
        try {
            Path repositories = path().resolve("git");
            Path _ = Files.createDirectories(repositories);
            return Files.setPosixFilePermissions(
                    repositories, PosixFilePermissions.fromString("rwx------"));
        } catch (IOException e) {
            throw FileProblem.of("cannot create the folder of Git remotes", e);
        }
    }
}
