package petrichor.frontends.access;

import java.nio.file.Path;
import java.util.Locale;
import petrichor.base.PetrichorException;

/**
 * What is audited, and where the records go.
 *
 * @param file the current file; older ones are beside it as {@code NAME.1}, {@code NAME.2} …
 * @param fileBytesMax a file that would grow beyond this is rotated
 * @param filesMax files kept, the current one included
 */
public record AuditSettings(Events events, Path file, long fileBytesMax, int filesMax) {
    /** Which requests are recorded. */
    public enum Events {
        OFF,
        /** Requests that need the role write or admin, and denied ones. */
        WRITES,
        /** Every request except health checks. */
        ALL;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A record takes about 200 bytes. */
    private static final long FILE_BYTES_MIN = 1_024;

    public AuditSettings {
        if (fileBytesMax < FILE_BYTES_MIN || filesMax < 1) {
            throw PetrichorException.invalid(
                    "audit.file-bytes-max must be at least "
                            + FILE_BYTES_MIN
                            + ", and audit.files-max at least 1");
        }
    }
}
