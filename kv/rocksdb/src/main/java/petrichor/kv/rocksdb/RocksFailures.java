package petrichor.kv.rocksdb;

import java.nio.file.Path;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Translates RocksDB's errors, with what the reader of the message can do. */
final class RocksFailures {
    private static final String REMEDY =
            "keep a copy of the folder and restore a backup into an empty one, or accept the loss"
                    + " by making the file {file} empty";

    private RocksFailures() {}

    static PetrichorException opening(Path folder, RocksDBException e) {
        if (isLocked(e)) {
            return PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    e,
                    "the data folder {folder} is in use by another process (or by another store of"
                            + " this one); stop that one, or choose another folder",
                    "folder",
                    folder.toString(),
                    "conflict",
                    "lock");
        }
        if (isDiskFull(e)) {
            return PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "the disk under {folder} is full; free some space and start again",
                    "folder",
                    folder.toString());
        }
        if (isDamage(e)) {
            return damage(folder, e);
        }
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                e,
                "the data folder {folder} cannot be opened ({reason}); check that it is a folder of"
                        + " this program, that the disk is there, and that this user may read and"
                        + " write it",
                "folder",
                folder.toString(),
                "reason",
                e.getMessage());
    }

    static PetrichorException reading(Path folder, RocksDBException e) {
        return isDamage(e)
                ? damage(folder, e)
                : PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        e,
                        "reading from {folder} failed ({reason}); check the disk, then retry",
                        "folder",
                        folder.toString(),
                        "reason",
                        e.getMessage());
    }

    /** The first failed write; later ones get {@link WriteRefusal}'s text. */
    static PetrichorException writing(Path folder, RocksDBException e) {
        if (isDamage(e)) {
            return damage(folder, e);
        }
        if (isOutOfFileHandles(e)) {
            return PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "the process has too many open files to write at {folder} (ulimit -n is the"
                            + " limit); the write was not acknowledged",
                    "folder",
                    folder.toString());
        }
        if (isDiskFull(e)) {
            return PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "the disk under {folder} is full; the write was not acknowledged",
                    "folder",
                    folder.toString());
        }
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                e,
                "writing or syncing at {folder} failed ({reason}); the write was not acknowledged",
                "folder",
                folder.toString(),
                "reason",
                e.getMessage());
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
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                e,
                "the data in {folder} is damaged ({reason}); keep a copy of the folder, check the"
                        + " disk, and restore a backup",
                "folder",
                folder.toString(),
                "reason",
                e.getMessage());
    }

    static PetrichorException newerFormat(Path folder, int version) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the data folder {folder} has format {version}, but this version supports formats"
                        + " up to "
                        + DataFormat.CURRENT
                        + "; start a newer version, or export the data with it and import them into"
                        + " an empty folder",
                "folder",
                folder.toString(),
                "version",
                version);
    }

    static PetrichorException unknownFormat(Path folder) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "the file {file} does not name the format of the data folder: it is damaged or of"
                        + " another program; restore a backup",
                "file",
                folder.resolve(DataFormat.FILE),
                "folder",
                folder.toString());
    }

    static PetrichorException damagedNote(Path folder) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "the file {file} is damaged, so that the data may be incomplete; " + REMEDY,
                "file",
                folder.resolve(AcknowledgedWrites.FILE),
                "folder",
                folder.toString());
    }

    static PetrichorException noteMissing(Path folder) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "the file {file} is missing, so that the data may be incomplete; " + REMEDY,
                "file",
                folder.resolve(AcknowledgedWrites.FILE),
                "folder",
                folder.toString());
    }

    /**
     * @param logs the write-ahead logs in the folder, such as {@code 000012.log}
     */
    static PetrichorException writesMissing(
            Path folder, long acknowledged, long found, String logs) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "acknowledged writes are missing in the data folder {folder}: it ends at write"
                        + " {end}, and {acknowledged} was acknowledged. A write-ahead log is"
                        + " missing or truncated (found: {logs}). Nothing was changed: put the"
                        + " file back if you have it; otherwise "
                        + REMEDY,
                "file",
                folder.resolve(AcknowledgedWrites.FILE),
                "folder",
                folder.toString(),
                "end",
                found,
                "acknowledged",
                acknowledged,
                "logs",
                logs);
    }

    static PetrichorException currentMissing(Path folder) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "the data folder {folder} has table files but no file CURRENT, so that part of it"
                    + " is lost; keep a copy of the folder and restore a backup into an empty one",
                "folder",
                folder.toString());
    }

    static PetrichorException unusable(Path folder, Exception e) {
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                e,
                "the data folder {folder} cannot be used ({reason}); choose a folder that this user"
                        + " may create and write",
                "reason",
                e,
                "folder",
                folder.toString());
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

    /**
     * No file could be opened: nothing was written, and the condition ends when other files are
     * closed.
     */
    static boolean isOutOfFileHandles(RocksDBException e) {
        String text = String.valueOf(e.getMessage());
        return text.contains("Too many open files");
    }

    static boolean isDamage(RocksDBException e) {
        Status status = e.getStatus();
        return status != null && status.getCode() == Status.Code.Corruption;
    }
}
