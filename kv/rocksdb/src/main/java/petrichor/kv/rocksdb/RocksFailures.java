package petrichor.kv.rocksdb;

import java.nio.file.Path;
import java.util.Map;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

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
                                + "); check the disk, then retry",
                        folder,
                        e);
    }

    /** The write that failed; those that come later get {@link WriteRefusal}'s text. */
    static PetrichorException writing(Path folder, RocksDBException e) {
        return isDamage(e)
                ? damage(folder, e)
                : failure(
                        ErrorCode.UNAVAILABLE,
                        writeTrouble(folder, e) + "; the write was not acknowledged",
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

    static PetrichorException newerFormat(Path folder, int version) {
        return refusal(
                ErrorCode.FAILED_PRECONDITION,
                "the data folder "
                        + folder
                        + " has format "
                        + version
                        + ", but this version supports formats up to "
                        + DataFormat.CURRENT
                        + "; start a newer version, or export the data with it and import them into"
                        + " an empty folder",
                folder);
    }

    static PetrichorException unknownFormat(Path folder) {
        return refusal(
                ErrorCode.INTERNAL,
                "the file "
                        + folder.resolve(DataFormat.FILE)
                        + " does not name the format of the data folder: it is damaged or of"
                        + " another program; restore a backup",
                folder);
    }

    static PetrichorException damagedNote(Path folder) {
        return refusal(
                ErrorCode.INTERNAL,
                "the file "
                        + folder.resolve(AcknowledgedWrites.FILE)
                        + " is damaged, so that the data may be incomplete; "
                        + remedy(folder),
                folder);
    }

    static PetrichorException noteMissing(Path folder) {
        return refusal(
                ErrorCode.INTERNAL,
                "the file "
                        + folder.resolve(AcknowledgedWrites.FILE)
                        + " is missing, so that the data may be incomplete; "
                        + remedy(folder),
                folder);
    }

    /**
     * @param logs what the folder has of write-ahead logs, such as {@code 000012.log}
     */
    static PetrichorException writesMissing(
            Path folder, long acknowledged, long found, String logs) {
        return refusal(
                ErrorCode.INTERNAL,
                "acknowledged writes are missing in the data folder "
                        + folder
                        + ": it ends at write "
                        + found
                        + ", and "
                        + acknowledged
                        + " was acknowledged. A write-ahead log is missing or truncated (found: "
                        + logs
                        + "). Nothing was changed: put the file back if you have it; otherwise "
                        + remedy(folder),
                folder);
    }

    private static String remedy(Path folder) {
        return "keep a copy of the folder and restore a backup into an empty one, or accept the"
                + " loss by making the file "
                + folder.resolve(AcknowledgedWrites.FILE)
                + " empty";
    }

    private static PetrichorException refusal(ErrorCode code, String text, Path folder) {
        return new PetrichorException(code, text, Map.of("folder", folder.toString()));
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

    static boolean isDamage(RocksDBException e) {
        Status status = e.getStatus();
        return status != null && status.getCode() == Status.Code.Corruption;
    }
}
