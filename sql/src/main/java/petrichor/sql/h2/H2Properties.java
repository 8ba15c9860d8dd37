package petrichor.sql.h2;

import org.h2.engine.SysProperties;

/**
 * System properties of H2, which it reads once, when the first of its classes needs one. A class
 * through which H2 can be reached for the first time calls {@link #set} in its static initializer.
 */
public final class H2Properties {
    static {
        // All threads share the cache of values: searching it took a third of the time of scans.
        System.setProperty("h2.objectCache", "false");
    }

    private H2Properties() {}

    /** Has an effect before the first use of H2 in the process. */
    public static void set() {
        // The static initializer does it, once.
    }

    /** Whether H2 has read them after they were set. */
    static boolean effective() {
        return !SysProperties.OBJECT_CACHE;
    }
}
