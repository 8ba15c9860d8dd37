package petrichor.kv.rocksdb;

import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

import java.nio.file.Path;
import java.util.Map;

/** What RocksDB's errors mean to us, and what the reader of the message can do about them. */
final class RocksFailures {
    private RocksFailures() {}

    static PetrichorException opening(Path folder, RocksDBException e) {
        if (isLocked(e)) {
            return new PetrichorException(
                    ErrorCode.FAILED_PRECONDITION,
                    "the data folder "
                            + folder
                            + " is in use by another process (or by another store of this one);"
                            + " stop that one, or choose another folder",
                    Map.of("folder", folder.toString(), "conflict", "lock"),
                    e);
        }
        if (isDiskFull(e)) {
            return failure(
                    ErrorCode.UNAVAILABLE,
                    "the disk under " + folder + " is full; free some space and start again",
                    folder,
                    e);
        }
        if (isDamage(e)) {
            return damage(folder, e);
        }
        return failure(
                ErrorCode.FAILED_PRECONDITION,
                "the data folder "
                        + folder
                        + " cannot be opened ("
                        + e.getMessage()
                        + "); check that it is a folder of this program, that the disk is there,"
                        + " and that this user may read and write it",
                folder,
                e);
    }

    static PetrichorException reading(Path folder, RocksDBException e) {
        return isDamage(e)
                ? damage(folder, e)
                : failure(
                        ErrorCode.UNAVAILABLE,
                        "reading from "
                                + folder
                                + " failed ("
                                + e.getMessage()
                                + "); check the disk, then try again",
                        folder,
                        e);
    }

    /** The write that failed; those that come later get {@link WriteRefusal}'s text. */
    static PetrichorException writing(Path folder, RocksDBException e) {
        return isDamage(e)
                ? damage(folder, e)
                : failure(
                        ErrorCode.UNAVAILABLE,
                        writeTrouble(folder, e) + "; what was to be written was not acknowledged",
                        folder,
                        e);
    }

    static String writeTrouble(Path folder, RocksDBException e) {
        if (isOutOfFileHandles(e)) {
            return "the process has too many open files to write at "
                    + folder
                    + " (ulimit -n is the limit)";
        }
        return isDiskFull(e)
                ? "the disk under " + folder + " is full"
                : "writing or syncing at " + folder + " failed (" + e.getMessage() + ")";
    }

    static PetrichorException damage(Path folder, RocksDBException e) {
        return failure(
                ErrorCode.INTERNAL,
                "the data in "
                        + folder
                        + " is damaged ("
                        + e.getMessage()
                        + "); keep a copy of the folder, check the disk, and restore a backup",
                folder,
                e);
    }

    static PetrichorException currentMissing(Path folder) {
        return new PetrichorException(
                ErrorCode.INTERNAL,
                "the data folder "
                        + folder
                        + " has table files but no file CURRENT, so that part of it is lost; keep a"
                        + " copy of the folder and restore a backup into an empty one",
                Map.of("folder", folder.toString()));
    }

    static PetrichorException unusable(Path folder, Exception e) {
        return new PetrichorException(
                ErrorCode.FAILED_PRECONDITION,
                "the data folder "
                        + folder
                        + " cannot be used ("
                        + e
                        + "); choose a folder that this user may create and write",
                Map.of("folder", folder.toString()),
                e);
    }

    private static PetrichorException failure(
            ErrorCode code, String text, Path folder, RocksDBException cause) {
        return new PetrichorException(code, text, Map.of("folder", folder.toString()), cause);
    }

    private static boolean isLocked(RocksDBException e) {
        String text = String.valueOf(e.getMessage());
        return text.contains("lock file") || text.contains("lock hold by current process");
    }

    private static boolean isDiskFull(RocksDBException e) {
        Status status = e.getStatus();
        return (status != null && status.getSubCode() == Status.SubCode.NoSpace)
                || String.valueOf(e.getMessage()).contains("No space left on device");
    }

    /** No file could be opened: nothing was written, and it passes when others close theirs. */
    static boolean isOutOfFileHandles(RocksDBException e) {
        String text = String.valueOf(e.getMessage());
        return text.contains("Too many open files");
    }

    private static boolean isDamage(RocksDBException e) {
        Status status = e.getStatus();
        return status != null && status.getCode() == Status.Code.Corruption;
    }
}
