package petrichor.apps.builds;

import java.time.Duration;
import petrichor.base.PetrichorException;

/**
 * Limits of an app's sources.
 *
 * @param files number of files
 * @param bytes all files together
 * @param bytesPerFile one file
 * @param pathBytes a path within the sources, in UTF-8
 * @param compressionRatio bytes of an archive's files per byte of the archive
 * @param cloneTime of a Git repository
 */
public record SourceLimits(
        int files,
        long bytes,
        long bytesPerFile,
        int pathBytes,
        int compressionRatio,
        Duration cloneTime) {
    private static final long MIB = 1L << 20;

    public static final SourceLimits DEFAULT =
            new SourceLimits(20_000, 1_024 * MIB, 512 * MIB, 1_024, 200, Duration.ofMinutes(2));

    public SourceLimits {
        if (files <= 0
                || bytes <= 0
                || bytesPerFile <= 0
                || pathBytes <= 0
                || compressionRatio <= 0
                || !cloneTime.isPositive()) {
            throw PetrichorException.invalid(
                    "a limit of sources is zero or negative: use a positive limit");
        }
    }

    SourceLimits withCompressionRatio(int ratio) {
        return new SourceLimits(files, bytes, bytesPerFile, pathBytes, ratio, cloneTime);
    }
}
