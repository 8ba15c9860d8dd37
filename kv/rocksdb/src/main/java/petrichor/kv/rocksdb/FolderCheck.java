package petrichor.kv.rocksdb;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import petrichor.base.PrivateFolder;

/** Checks a data folder before it is opened, without changing a file. */
final class FolderCheck {
    /** The file that names the current manifest; every complete folder has it. */
    private static final String CURRENT = "CURRENT";

    /** Attempts, since another process may replace files during a check. */
    private static final int ATTEMPTS_MAX = 3;

    private FolderCheck() {}

    static boolean hasData(Path folder) {
        return Files.exists(folder.resolve(CURRENT));
    }

    /**
     * If CURRENT is missing although data exists, RocksDB would create a new database and delete
     * the data.
     */
    static void requireWholeOrNew(Path folder) {
        try {
            PrivateFolder.create(folder);
            if (hasData(folder)) {
                return;
            }
            if (!files(folder, "*.sst").isEmpty()) {
                throw RocksFailures.currentMissing(folder);
            }
        } catch (IOException | DirectoryIteratorException e) {
            throw RocksFailures.unusable(folder, e);
        }
    }

    /**
     * Refuses a folder that lacks acknowledged writes. Opens RocksDB read-only first, which replays
     * the logs and leaves every file unchanged: a log that is put back later is still used.
     */
    static @Nullable Long requireAcknowledged(
            Path folder, int format, NativeSettings settings, List<ColumnFamilyDescriptor> families)
            throws RocksDBException {
        Long acknowledged = AcknowledgedWrites.read(folder);
        if (acknowledged == null && format >= DataFormat.CURRENT) {
            throw RocksFailures.noteMissing(folder);
        }
        if (acknowledged == null || acknowledged == 0) {
            return acknowledged;
        }
        if (!hasData(folder)) {
            throw RocksFailures.writesMissing(folder, acknowledged, 0, logs(folder));
        }
        long found = 0;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && found < acknowledged; attempt++) {
            found = lastWrite(folder, settings, families);
        }
        requireAll(folder, acknowledged, found);
        return acknowledged;
    }

    /** The same check after opening. */
    static void requireAll(Path folder, @Nullable Long acknowledged, long found) {
        if (acknowledged != null && found < acknowledged) {
            throw RocksFailures.writesMissing(folder, acknowledged, found, logs(folder));
        }
    }

    private static long lastWrite(
            Path folder, NativeSettings settings, List<ColumnFamilyDescriptor> families)
            throws RocksDBException {
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        try (RocksDB db =
                RocksDB.openReadOnly(settings.database, folder.toString(), families, handles)) {
            long last = db.getLatestSequenceNumber();
            handles.forEach(ColumnFamilyHandle::close);
            return last;
        } catch (RocksDBException e) {
            if (RocksFailures.isDamage(e)) {
                throw e;
            }
            // Any other cause, such as another process that uses the folder, is reported when
            // opening.
            return Long.MAX_VALUE;
        }
    }

    private static String logs(Path folder) {
        try {
            List<String> found = new ArrayList<>();
            for (Path log : files(folder, "*.log")) {
                found.add(log.getFileName() + " of " + Files.size(log) + " bytes");
            }
            return found.isEmpty() ? "none" : String.join(", ", found);
        } catch (IOException | DirectoryIteratorException unreadable) {
            return "unreadable";
        }
    }

    private static List<Path> files(Path folder, String form) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, form)) {
            files.forEach(found::add);
        }
        found.sort(null);
        return found;
    }
}
