package petrichor.base;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The AOT cache of classes and profiles with which this JVM started (JEP 483, 515): the launcher
 * creates one after a build. Stateless.
 */
public final class AotCache {
    private static final String FLAG = "-XX:AOTCache=";

    /** A cache that does not match, after another build, is ignored silently. */
    private static final String QUIET = "-Xlog:aot*=off";

    private AotCache() {}

    /**
     * Flags with which a child process uses the same cache; empty if there is none. Its class path
     * must be equal to this one's, or start with it, and native access must be enabled as in this
     * process; otherwise the cache is not used.
     */
    public static List<String> flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith(FLAG))
                .findFirst()
                .map(flag -> List.of(QUIET, flag))
                .orElse(List.of());
    }
}
