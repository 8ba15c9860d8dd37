package petrichor.kv.rocksdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rocksdb.NativeLibraryLoader;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Brings RocksDB's native part into the process. RocksDB unpacks its 17 MB into the temporary
 * folder and deletes them when the JVM ends in peace; a process that is killed would leave them
 * there, each time. So they are deleted as soon as they are loaded, where the system allows that.
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
                    // Windows keeps a loaded library; the loader deletes it at the JVM's end.
                    folder.toFile().deleteOnExit();
                }
            }
        }
        if (!folder.toFile().delete()) {
            folder.toFile().deleteOnExit();
        }
    }
}
