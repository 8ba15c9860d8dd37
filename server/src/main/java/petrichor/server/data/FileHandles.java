package petrichor.server.data;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.Collections;

/**
 * Limits on open files and connections of this process (RLIMIT_NOFILE). If the system does not
 * report a limit, none is assumed.
 */
public final class FileHandles {
    /**
     * For jobs, exports, logs and connections to other servers, in addition to what the program has
     * opened when it starts.
     */
    static final int RESERVED = 128;

    /** Handles for the connections of a remote store. */
    public static final int FOR_STORE_ELSEWHERE = 256;

    /** Minimum number of connections, so that an operator can always examine the server. */
    private static final int CONNECTIONS_MIN = 16;

    private static final String IN_NO_JAR = "petrichor/in-no-jar";

    private FileHandles() {}

    public static long max() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Integer.MAX_VALUE;
    }

    static long free() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount()
                : Integer.MAX_VALUE;
    }

    /**
     * Files that are open already, with all jars of the program: the JVM opens a jar when it looks
     * for a class or a resource in it, and keeps it open.
     */
    public static long open() {
        try {
            // The search opens a jar only when its result is read.
            var _ = Collections.list(FileHandles.class.getClassLoader().getResources(IN_NO_JAR));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
    }

    /**
     * Maximum number of files that the embedded store may keep open: a quarter of all, at most
     * {@code wanted}.
     */
    public static int forEmbeddedStore(long max, int wanted) {
        return Math.clamp(max / 4, 32, wanted);
    }

    /**
     * Number of connections that leaves enough handles for the store.
     *
     * @param configured limits.connections-max
     * @param max handles of the process
     * @param open handles that the program itself keeps open
     * @param store maximum number of handles of the store
     */
    public static int connections(int configured, long max, long open, int store) {
        return (int) Math.min(configured, Math.max(CONNECTIONS_MIN, max - open - store - RESERVED));
    }
}
