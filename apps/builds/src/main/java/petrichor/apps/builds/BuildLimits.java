package petrichor.apps.builds;

import java.time.Duration;
import petrichor.base.PetrichorException;

/**
 * Limits of builds.
 *
 * @param timeMax of one build, from its first command
 * @param logBytesMax output of one build
 * @param workBytesMax files that one build may have in its folders at any time
 * @param cacheBytesMax sources, layers, builds and downloads of all apps together; those in use may
 *     exceed it
 * @param buildsMax builds at the same time; others wait
 */
public record BuildLimits(
        Duration timeMax, long logBytesMax, long workBytesMax, long cacheBytesMax, int buildsMax) {
    private static final long MIB = 1L << 20;

    /** Ten minutes, as on App Engine. */
    public static final BuildLimits DEFAULT =
            new BuildLimits(Duration.ofMinutes(10), 16 * MIB, 4_096 * MIB, 10_240 * MIB, 2);

    public BuildLimits {
        if (!timeMax.isPositive()
                || logBytesMax <= 0
                || workBytesMax <= 0
                || cacheBytesMax <= 0
                || buildsMax <= 0) {
            throw PetrichorException.invalid(
                    "a limit of builds is zero or negative: use a positive limit");
        }
    }

    public BuildLimits withTimeMax(Duration timeMax) {
        return new BuildLimits(timeMax, logBytesMax, workBytesMax, cacheBytesMax, buildsMax);
    }

    public BuildLimits withLogBytesMax(long logBytesMax) {
        return new BuildLimits(timeMax, logBytesMax, workBytesMax, cacheBytesMax, buildsMax);
    }

    public BuildLimits withWorkBytesMax(long workBytesMax) {
        return new BuildLimits(timeMax, logBytesMax, workBytesMax, cacheBytesMax, buildsMax);
    }

    public BuildLimits withCacheBytesMax(long cacheBytesMax) {
        return new BuildLimits(timeMax, logBytesMax, workBytesMax, cacheBytesMax, buildsMax);
    }
}
