package petrichor.apps.router.files;

import petrichor.base.PetrichorException;

/**
 * Limits of static files.
 *
 * @param cacheBytesMax of all files in memory, plain and compressed
 * @param cachedFileBytesMax larger files are read from disk for each request
 * @param gzipBytesMax larger files are not compressed
 * @param readsMax concurrent reads from disk
 */
public record FileLimits(
        long cacheBytesMax, int cachedFileBytesMax, long gzipBytesMax, int readsMax) {
    public static final FileLimits DEFAULT = new FileLimits(64 << 20, 1 << 20, 64 << 20, 64);

    public FileLimits {
        if (cacheBytesMax < 0 || cachedFileBytesMax < 0 || gzipBytesMax < 0 || readsMax <= 0) {
            throw PetrichorException.invalid("limits of static files must not be negative");
        }
    }
}
