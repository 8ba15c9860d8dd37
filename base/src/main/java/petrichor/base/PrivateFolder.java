package petrichor.base;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Creates folders that only their owner may read, regardless of the umask. */
public final class PrivateFolder {
    private static final System.Logger LOG = System.getLogger(PrivateFolder.class.getName());
    private static final String OWNER_ONLY = "rwx------";

    private PrivateFolder() {}

    /**
     * Creates the folder if it does not exist, and sets its mode to 0700 in any case: other users
     * cannot enter it, so that the modes of its files do not matter. The mode of another user's
     * folder is not changed, which is logged as a warning.
     */
    public static void create(Path folder) throws IOException {
        Files.createDirectories(folder);
        try {
            if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(OWNER_ONLY));
            }
        } catch (IOException notOurs) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "other users of this machine may be able to read the folder {0}: its mode could"
                            + " not be set to 0700 ({1})",
                    folder,
                    notOurs.getMessage());
        }
    }
}
