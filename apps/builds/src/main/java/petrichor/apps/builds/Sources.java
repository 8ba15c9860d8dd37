package petrichor.apps.builds;

import java.nio.file.Path;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;

/**
 * The immutable sources of an app, addressed by their content.
 *
 * @param folder must not be changed; belongs to the cache
 * @param hash SHA-256 over the sorted paths, whether files are executable, and contents, in
 *     hexadecimal; owners, times and empty folders do not matter
 */
public record Sources(Path folder, String hash, int files, long bytes) {
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");

    public Sources {
        if (!HASH.matcher(hash).matches() || files < 0 || bytes < 0) {
            throw PetrichorException.invalid(
                    "\"{hash}\" is not the SHA-256 hash of sources: use what SourceArchive"
                            + " returned",
                    "hash",
                    hash);
        }
    }
}
