package petrichor.apps.router.files;

import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A file as the router serves it. The arrays are shared and must not be changed.
 *
 * @param path real, within its folder
 * @param contents null if the file is too large to be kept in memory
 */
record StaticFile(Path path, Facts facts, @Nullable Contents contents) {
    /**
     * @param modified in whole seconds, as HTTP has it
     * @param tag without quotes, different for different contents
     */
    record Facts(long bytes, Instant modified, String tag, String contentType) {}

    /**
     * @param gzipped null if compression saves too little
     */
    record Contents(byte[] plain, byte @Nullable [] gzipped) {
        long bytes() {
            return plain.length + (gzipped == null ? 0L : gzipped.length);
        }
    }
}
