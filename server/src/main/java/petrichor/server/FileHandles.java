package petrichor.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * How many files, connections among them, this process may have open (RLIMIT_NOFILE). Without an
 * answer of the system there are enough.
 */
final class FileHandles {
    /** For the JVM's own files, jobs, exports, and connections to other servers. */
    static final int RESERVED = 128;

    /** What a store behind the network needs for its connections. */
    static final int FOR_STORE_ELSEWHERE = 256;

    /** However few there are, an operator must be able to find out what is wrong. */
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

    /** What the embedded store may keep open: a quarter, and no more than it wants. */
    static int forEmbeddedStore(long max, int wanted) {
        return Math.clamp(max / 4, 32, wanted);
    }

    /**
     * Connections that leave enough for the store.
     *
     * @param configured limits.connections-max
     * @param max handles of the process
     * @param store handles that the store needs at most
     */
    static int connections(int configured, long max, int store) {
        return (int) Math.min(configured, Math.max(CONNECTIONS_MIN, max - store - RESERVED));
    }
}
