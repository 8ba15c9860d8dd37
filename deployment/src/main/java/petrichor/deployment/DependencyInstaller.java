package petrichor.deployment;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Obtains what a host needs. DependencyInstaller from Maven and Go are fetched on this machine and
 * copied to remote hosts; programs and Java are the host's own. Fetches each supply only once.
 *
 * <p>Fails with {@code FAILED_PRECONDITION} if a supply can neither be found nor fetched; the text
 * says what to install.
 */
final class DependencyInstaller {
    private static final Duration COPY_TIME_MAX = Duration.ofMinutes(10);

    private final String version;
    private final Progress progress;
    private final Cache cache;

    DependencyInstaller(String version, Progress progress) {
        this(version, progress, Cache.ofThisMachine());
    }

    /**
     * @param cache the local cache of this machine
     */
    DependencyInstaller(String version, Progress progress, Cache cache) {
        this.cache = cache;
        this.version = version;
        this.progress = progress;
    }

    /** The supplies, by name. */
    Map<String, InstalledDependency> on(Host host, List<Dependency> supplies) {
        Map<String, InstalledDependency> found = new TreeMap<>();
        for (Dependency supply : supplies) {
            found.put(supply.name(), on(host, supply));
        }
        return found;
    }

    private InstalledDependency on(Host host, Dependency supply) {
        return switch (supply) {
            case Dependency.Jars jars ->
                    copied(host, MavenFetch.jars(cache, jars, version, progress));
            case Dependency.Archive archive ->
                    copied(host, MavenFetch.archive(cache, archive, version, progress));
            case Dependency.GoProgram program -> {
                Path folder = GoBuild.folder(cache, program, version, progress);
                yield InstalledDependency.at(copied(host, folder).place().resolve(GoBuild.PROGRAM));
            }
            case Dependency.Programs programs ->
                    HostPrograms.find(withDownloads(host), programs, progress);
            case Dependency.Java java ->
                    InstalledDependency.at(JavaHome.find(withDownloads(host), java, progress));
        };
    }

    /** A namespace has this machine's files, but cannot reach the network outside of it. */
    private static Host withDownloads(Host host) {
        return host instanceof Host.Namespace ? new Host.ThisMachine() : host;
    }

    private InstalledDependency copied(Host host, Path folder) {
        return switch (host) {
            case Host.ThisMachine _, Host.Namespace _ -> InstalledDependency.at(folder);
            case Host.OverSsh _ -> InstalledDependency.at(copiedOverSsh(host, folder));
        };
    }

    /** Copies to the same place in the remote host's cache, atomically. */
    private Path copiedOverSsh(Host host, Path folder) {
        String place = Cache.onHost(host) + "/" + folder.getFileName();
        if (Shell.run(host, "test -d " + Shell.quoted(place)).succeeded()) {
            return Path.of(place);
        }
        progress.say("copying " + folder.getFileName() + " to " + host.name());
        String started = place + ".started";
        String script =
                "set -e; rm -rf %1$s; mkdir %1$s; tar -xf - -C %1$s; mv %1$s %2$s"
                        .formatted(Shell.quoted(started), Shell.quoted(place));
        Shell.run(host, script, stdin -> pack(folder, stdin), COPY_TIME_MAX)
                .required("copy " + folder.getFileName());
        return Path.of(place);
    }

    private static void pack(Path folder, OutputStream to) throws IOException {
        Process tar =
                new ProcessBuilder("tar", "-cf", "-", "-C", folder.toString(), ".")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (var packed = tar.getInputStream()) {
            packed.transferTo(to);
        } finally {
            tar.destroy();
        }
    }
}
