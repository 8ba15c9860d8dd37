package petrichor.kv.rocksdb;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Set permanently by the first write that fails: after a failed sync the operating system may have
 * dropped the pages and report success for the next sync, so that only a restart, which reads the
 * disk, can determine what was written. Reads continue. RocksDB also refuses writes after it could
 * not open a file, but then reopening the store suffices. Thread-safe.
 */
final class WriteRefusal {
    private static final System.Logger LOG = System.getLogger(WriteRefusal.class.getName());

    private final Path folder;
    private volatile boolean outOfFileHandles;
    private final AtomicReference<@Nullable String> reason = new AtomicReference<>();

    WriteRefusal(Path folder) {
        this.folder = folder;
    }

    void requireWritable() {
        String why = reason.get();
        if (why != null) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "no writes are accepted since {cause}; nothing was written. Reads continue."
                            + " Free space or repair the disk, then restart",
                    "cause",
                    why,
                    "folder",
                    folder.toString());
        }
    }

    /** Returns the error for the caller whose write failed. */
    PetrichorException after(RocksDBException e) {
        String why = RocksFailures.writeTrouble(folder, e);
        if (reason.compareAndSet(null, why)) {
            outOfFileHandles = RocksFailures.isOutOfFileHandles(e);
            LOG.log(
                    System.Logger.Level.ERROR,
                    "no writes are accepted any more: {0}. Reads continue; acknowledged writes are"
                            + " safe. Free space or repair the disk, then restart.",
                    why);
        }
        return RocksFailures.writing(folder, e);
    }

    /** Whether the cause is temporary, and nothing was written: reopening the store helps. */
    boolean passes() {
        return outOfFileHandles;
    }

    /** The write is on the disk, but its note could not be written. */
    PetrichorException after(IOException e) {
        String why =
                "the last write could not be recorded at " + folder + " (" + e.getMessage() + ")";
        if (reason.compareAndSet(null, why)) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "no writes are accepted any more: {0}. Reads continue; acknowledged writes are"
                            + " safe. Repair the disk, then restart.",
                    why);
        }
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                e,
                "the last write could not be recorded at {folder} ({reason})",
                "folder",
                folder.toString(),
                "reason",
                e.getMessage());
    }

    /** Why writes are refused; null while they are accepted. */
    @Nullable String reason() {
        return reason.get();
    }
}
