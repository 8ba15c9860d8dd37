package petrichor.server.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.kv.rocksdb.RocksStore;

/** Checks the data folder of the embedded store, and files with secrets. */
final class FolderChecks {
    private static final long FREE_BYTES_MIN = 1L << 30;
    private static final int FREE_PERCENT_MIN = 10;
    private static final Set<PosixFilePermission> OTHERS =
            Set.of(
                    PosixFilePermission.GROUP_READ,
                    PosixFilePermission.GROUP_WRITE,
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_WRITE);

    private FolderChecks() {}

    static List<Finding> data(Path folder) {
        List<Finding> found = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            found.add(
                    Finding.ok(
                            "data-folder",
                            folder.toAbsolutePath()
                                    + " does not exist yet; the server creates it at start"));
            found.add(space(nearest(folder.toAbsolutePath())));
            return found;
        }
        if (!Files.isWritable(folder)) {
            found.add(
                    Finding.failed(
                            "data-folder",
                            "this user may not write into " + folder.toAbsolutePath(),
                            "run as the folder's owner, or change its owner"));
        } else if (isOpenToOthers(folder)) {
            found.add(
                    Finding.warning(
                            "data-folder",
                            "other users can list " + folder.toAbsolutePath(),
                            "chmod 700 " + folder));
        } else {
            found.add(Finding.ok("data-folder", folder.toAbsolutePath().toString()));
        }
        found.add(format(folder));
        found.add(space(folder.toAbsolutePath()));
        return found;
    }

    private static Finding format(Path folder) {
        try {
            return Finding.ok(
                    "data-format", "the data folder has format " + RocksStore.format(folder));
        } catch (PetrichorException refused) {
            return Finding.failed(
                    "data-format",
                    String.valueOf(refused.getMessage()),
                    "use the version of Petrichor that wrote the folder, or a newer one");
        }
    }

    private static Path nearest(Path folder) {
        Path at = folder;
        while (!Files.exists(at) && at.getParent() != null) {
            at = at.getParent();
        }
        return at;
    }

    private static Finding space(Path folder) {
        try {
            long free = Files.getFileStore(folder).getUsableSpace();
            long total = Files.getFileStore(folder).getTotalSpace();
            return space(folder, free, total);
        } catch (IOException unknown) {
            return Finding.warning(
                    "disk-space",
                    "the free space of " + folder + " is unknown: " + FileProblem.reason(unknown),
                    "check it with df");
        }
    }

    static Finding space(Path folder, long free, long total) {
        String what = Sizes.text(free) + " of " + Sizes.text(total) + " are free for " + folder;
        String remedy =
                "free space or move the folder to a larger disk; writes are refused when it is"
                        + " full";
        if (free < FREE_BYTES_MIN) {
            return Finding.failed("disk-space", what, remedy);
        }
        return free < total / 100 * FREE_PERCENT_MIN
                ? Finding.warning("disk-space", what, remedy)
                : Finding.ok("disk-space", what);
    }

    /** Checks a file with a password, a token or a key. */
    static Finding secret(String key, Path file) {
        if (!Files.isReadable(file)) {
            return Finding.failed(
                    key,
                    "the file " + file + " cannot be read",
                    "correct the path in " + key + ", or let this user read the file");
        }
        return isOpenToOthers(file)
                ? Finding.warning(key, "other users may read " + file, "chmod 600 " + file)
                : Finding.ok(key, file.toString());
    }

    private static boolean isOpenToOthers(Path path) {
        try {
            return Files.getPosixFilePermissions(path).stream().anyMatch(OTHERS::contains);
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }
}
