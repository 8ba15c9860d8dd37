package petrichor.base;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The file of classes and profiles that this JVM began with (JEP 483, 515): the launcher makes one
 * after a build. Stateless.
 */
public final class AotCache {
    private static final String FLAG = "-XX:AOTCache=";

    /** A file that does not fit, after another build, is not used and not talked about. */
    private static final String QUIET = "-Xlog:aot*=off";

    private AotCache() {}

    /**
     * Flags by which a process that this one starts begins with the same file; none if there is
     * none. Its class path must be this one's, or begin with it, and native access must be enabled
     * for it as it is for this one; else the file is not used.
     */
    public static List<String> flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith(FLAG))
                .findFirst()
                .map(flag -> List.of(QUIET, flag))
                .orElse(List.of());
    }
}
