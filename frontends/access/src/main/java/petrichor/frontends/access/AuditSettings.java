package petrichor.frontends.access;

import java.nio.file.Path;
import java.util.Locale;
import petrichor.base.PetrichorException;

/**
 * Scope and files of the audit log.
 *
 * @param file the current file; older files have the suffixes {@code .1}, {@code .2} …
 * @param fileBytesMax size at which the file is rotated
 * @param filesMax number of files to keep, including the current one
 */
public record AuditSettings(Events events, Path file, long fileBytesMax, int filesMax) {
    /** Which requests are recorded. */
    public enum Events {
        OFF,
        /** Requests that need the role deploy, write or admin, and denied ones. */
        WRITES,
        /** Every request except health checks. */
        ALL;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** At least several records; one takes about 200 bytes. */
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
