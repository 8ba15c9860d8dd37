package petrichor.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The local cache of downloaded servers: one folder for each, complete or absent, never changed
 * afterwards. {@code PETRICHOR_HOME} names its place; the default is the user's home, and for root,
 * whose home others cannot read, {@code /var/cache/petrichor}: a server that refuses to run as root
 * must be able to read it. Safe for concurrent processes.
 */
final class Cache {
    private static final int HASH_CHARS = 10;

    /** Puts the content into a new, empty folder. */
    interface Filling {
        void into(Path folder) throws IOException;
    }

    /**
     * A lock on a file excludes other processes, but fails for another thread of the same process.
     */
    private static final Object IN_THIS_PROCESS = new Object();

    private final Path servers;

    private Cache(Path servers) {
        this.servers = servers;
    }

    static Cache ofThisMachine() {
        return in(Path.of(onHost(new Host.ThisMachine())));
    }

    static Cache in(Path servers) {
        return new Cache(servers);
    }

    /** The cache folder of any host. */
    static String onHost(Host host) {
        return Shell.run(
                        host,
                        """
                        if [ -n "${PETRICHOR_HOME:-}" ]; then home=$PETRICHOR_HOME
                        elif [ "$(id -u)" = 0 ]; then home=/var/cache/petrichor
                        else home=$HOME/.petrichor; fi
                        mkdir -p "$home/servers" && cd "$home/servers" && pwd -P
                        """)
                .required("create the folder for servers")
                .strip();
    }

    /** A cache key that depends on everything that affects the content. */
    static String key(String name, String version, Object contents) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(contents.toString().getBytes(UTF_8));
            return name
                    + "-"
                    + version
                    + "-"
                    + HexFormat.of().formatHex(hash).substring(0, HASH_CHARS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The folder of this key, filled first if it does not exist. */
    Path folder(String key, Filling filling) {
        Path folder = servers.resolve(key);
        if (Files.isDirectory(folder)) {
            return folder;
        }
        synchronized (IN_THIS_PROCESS) {
            return filled(folder, key, filling);
        }
    }

    private Path filled(Path folder, String key, Filling filling) {
        try (FileChannel lock =
                        FileChannel.open(
                                servers.resolve(key + ".lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                var _ = lock.lock()) {
            if (!Files.isDirectory(folder)) {
                fill(folder, filling);
            }
            return folder;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void fill(Path folder, Filling filling) throws IOException {
        Path started = Files.createTempDirectory(servers, ".started-");
        try {
            filling.into(started);
            Shell.run(
                            List.of("chmod", "-R", "a+rX", started.toString()),
                            Shell.NO_INPUT,
                            Shell.QUICK)
                    .required("make " + started + " readable");
            Files.move(started, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException another) {
            // Another process without our lock was faster; its copy is equivalent.
            delete(started);
        } catch (IOException | RuntimeException failed) {
            delete(started);
            throw failed;
        }
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
