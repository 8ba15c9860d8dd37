package petrichor.kv.rocksdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Loads RocksDB's native library. RocksDB unpacks its 17 MB into the temporary folder and deletes
 * them when the JVM exits normally; a killed process would leave them there, each time. So they are
 * deleted right after loading, where the system allows that.
 */
final class NativeLibrary {
    private NativeLibrary() {}

    static synchronized void load() {
        try {
            Path unpacked = Files.createTempDirectory("petrichor-rocksdb");
            try {
                NativeLibraryLoader.getInstance().loadLibrary(unpacked.toString());
            } finally {
                deleteIfPossible(unpacked);
            }
        } catch (IOException | UnsatisfiedLinkError e) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    e,
                    "RocksDB's native library could not be unpacked and loaded ({reason}); check"
                            + " that the temporary folder {value} has 20 MB of space and allows"
                            + " executable files, or name another one with -Djava.io.tmpdir",
                    "reason",
                    e.getMessage(),
                    "value",
                    System.getProperty("java.io.tmpdir"));
        }
    }

    private static void deleteIfPossible(Path folder) throws IOException {
        try (var files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                if (!file.toFile().delete()) {
                    // Windows locks a loaded library; the loader deletes it when the JVM exits.
                    folder.toFile().deleteOnExit();
                }
            }
        }
        if (!folder.toFile().delete()) {
            folder.toFile().deleteOnExit();
        }
    }
}
