package petrichor.deployment;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Obtains what a host needs. Supplies from Maven and Go are fetched on this machine and copied to
 * remote hosts; programs and Java are the host's own. Fetches each supply only once.
 *
 * <p>Fails with {@code FAILED_PRECONDITION} if a supply can neither be found nor fetched; the text
 * says what to install.
 */
final class Supplies {
    private static final Duration COPY_TIME_MAX = Duration.ofMinutes(10);

    private final String version;
    private final Progress progress;
    private final Cache cache;

    Supplies(String version, Progress progress) {
        this(version, progress, Cache.ofThisMachine());
    }

    /**
     * @param cache the local cache of this machine
     */
    Supplies(String version, Progress progress, Cache cache) {
        this.cache = cache;
        this.version = version;
        this.progress = progress;
    }

    /** The supplies, by name. */
    Map<String, Supplied> on(Host host, List<Supply> supplies) {
        Map<String, Supplied> found = new TreeMap<>();
        for (Supply supply : supplies) {
            found.put(supply.name(), on(host, supply));
        }
        return found;
    }

    private Supplied on(Host host, Supply supply) {
        return switch (supply) {
            case Supply.Jars jars -> copied(host, MavenFetch.jars(cache, jars, version, progress));
            case Supply.Archive archive ->
                    copied(host, MavenFetch.archive(cache, archive, version, progress));
            case Supply.GoProgram program -> {
                Path folder = GoBuild.folder(cache, program, version, progress);
                yield Supplied.at(copied(host, folder).place().resolve(GoBuild.PROGRAM));
            }
            case Supply.Programs programs -> HostPrograms.find(host, programs, progress);
            case Supply.Java java -> Supplied.at(JavaHome.find(host, java, progress));
        };
    }

    private Supplied copied(Host host, Path folder) {
        return switch (host) {
            case Host.ThisMachine _, Host.Namespace _ -> Supplied.at(folder);
            case Host.OverSsh _ -> Supplied.at(copiedOverSsh(host, folder));
        };
    }

    /** Copies to the same place in the remote host's cache, atomically. */
    private Path copiedOverSsh(Host host, Path folder) {
        String place = Cache.onHost(host) + "/" + folder.getFileName();
        if (Shell.run(host, "test -d " + Shell.quoted(place)).succeeded()) {
            return Path.of(place);
        }
        progress.say("copying " + folder.getFileName() + " to " + host.name());
        String begun = place + ".begun";
        String script =
                "set -e; rm -rf %1$s; mkdir %1$s; tar -xf - -C %1$s; mv %1$s %2$s"
                        .formatted(Shell.quoted(begun), Shell.quoted(place));
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
