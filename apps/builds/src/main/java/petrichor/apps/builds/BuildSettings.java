package petrichor.apps.builds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import petrichor.base.TimeSource;

/**
 * Where and how builds run.
 *
 * @param folder sources, layers, builds, downloads and logs. If builds have users of their own,
 *     these must be able to enter its parent folders: not a subfolder of a private data folder
 * @param toolFolders where interpreters and package managers are looked for, in this order
 * @param deployed the content hashes of all builds that a version uses; asked before an eviction,
 *     which never removes them
 */
public record BuildSettings(
        Path folder,
        BuildLimits limits,
        BuildUsers users,
        List<Path> toolFolders,
        Supplier<Set<String>> deployed,
        TimeSource time) {
    public BuildSettings {
        folder = folder.toAbsolutePath().normalize();
        toolFolders = List.copyOf(toolFolders);
    }

    /** Defaults for this machine. */
    public static BuildSettings in(Path folder, Supplier<Set<String>> deployed) {
        return new BuildSettings(
                folder,
                BuildLimits.DEFAULT,
                BuildUsers.forThisProcess(),
                installedTools(),
                deployed,
                TimeSource.SYSTEM);
    }

    public BuildSettings withLimits(BuildLimits limits) {
        return new BuildSettings(folder, limits, users, toolFolders, deployed, time);
    }

    public BuildSettings withUsers(BuildUsers users) {
        return new BuildSettings(folder, limits, users, toolFolders, deployed, time);
    }

    public BuildSettings withToolFolders(List<Path> toolFolders) {
        return new BuildSettings(folder, limits, users, toolFolders, deployed, time);
    }

    /** The folders of PATH, and those in which packages install Go, Node and JDKs. */
    private static List<Path> installedTools() {
        Set<Path> folders = new LinkedHashSet<>();
        String path = System.getenv("PATH");
        for (String folder : (path == null ? "" : path).split(":", -1)) {
            if (folder.startsWith("/")) {
                folders.add(Path.of(folder));
            }
        }
        folders.add(Path.of("/usr/local/bin"));
        folders.add(Path.of("/usr/bin"));
        folders.add(Path.of("/usr/local/go/bin"));
        folders.addAll(jdks());
        return List.copyOf(folders);
    }

    private static List<Path> jdks() {
        Path all = Path.of("/usr/lib/jvm");
        if (!Files.isDirectory(all)) {
            return List.of();
        }
        List<Path> found = new ArrayList<>();
        try (Stream<Path> homes = Files.list(all)) {
            homes.sorted()
                    .map(home -> home.resolve("bin"))
                    .filter(bin -> Files.isExecutable(bin.resolve("java")))
                    .forEach(found::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return found;
    }
}
