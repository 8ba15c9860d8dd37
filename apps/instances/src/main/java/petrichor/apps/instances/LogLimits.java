package petrichor.apps.instances;

import petrichor.base.PetrichorException;

/**
 * @param lineBytesMax the rest of a longer line is dropped
 * @param fileBytesMax a new file starts before a file becomes larger
 * @param filesMax older files are deleted
 * @param linesPerSecondMax for each stream of an instance; further lines are dropped and counted
 */
public record LogLimits(int lineBytesMax, long fileBytesMax, int filesMax, int linesPerSecondMax) {
    public static final LogLimits DEFAULT = new LogLimits(16 << 10, 10 << 20, 5, 1_000);

    /** Time, instance and stream before the text of a line, and a note after it. */
    private static final int HEADER_BYTES_MAX = 250;

    /** A control character is written as four. */
    private static final int ESCAPE_BYTES = 4;

    public LogLimits {
        if (lineBytesMax < 1 || filesMax < 2 || linesPerSecondMax < 1) {
            throw PetrichorException.invalid(
                    "a log needs at least 2 files, and lines of at least one byte and one a"
                            + " second");
        }
        if (fileBytesMax < writtenBytesMax(lineBytesMax)) {
            throw PetrichorException.invalid(
                    "a log file of at most {fileBytesMax} bytes cannot contain a line of"
                            + " {lineBytesMax} bytes",
                    "fileBytesMax",
                    fileBytesMax,
                    "lineBytesMax",
                    lineBytesMax);
        }
    }

    /** Bytes of the longest line in a file. */
    int writtenBytesMax() {
        return writtenBytesMax(lineBytesMax);
    }

    private static int writtenBytesMax(int lineBytesMax) {
        return Math.addExact(Math.multiplyExact(lineBytesMax, ESCAPE_BYTES), HEADER_BYTES_MAX);
    }
}
