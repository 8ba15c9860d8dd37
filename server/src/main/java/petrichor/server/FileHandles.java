package petrichor.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Limits on open files and connections of this process (RLIMIT_NOFILE). If the system does not
 * report a limit, none is assumed.
 */
final class FileHandles {
    /** For the JVM's own files, jobs, exports, and connections to other servers. */
    static final int RESERVED = 128;

    /** Handles for the connections of a remote store. */
    static final int FOR_STORE_ELSEWHERE = 256;

    /** Minimum number of connections, so that an operator can always examine the server. */
    private static final int CONNECTIONS_MIN = 16;

    private FileHandles() {}

    static long max() {
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
     * Maximum number of files that the embedded store may keep open: a quarter of all, at most
     * {@code wanted}.
     */
    static int forEmbeddedStore(long max, int wanted) {
        return Math.clamp(max / 4, 32, wanted);
    }

    /**
     * Number of connections that leaves enough handles for the store.
     *
     * @param configured limits.connections-max
     * @param max handles of the process
     * @param store maximum number of handles of the store
     */
    static int connections(int configured, long max, int store) {
        return (int) Math.min(configured, Math.max(CONNECTIONS_MIN, max - store - RESERVED));
    }
}
