package petrichor.apps.builds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import petrichor.base.PetrichorException;

/** As which user of the operating system builds run. */
public sealed interface BuildUsers {
    /** Ids that distributions leave to administrators, below the ranges of systemd. */
    int FIRST_ID_DEFAULT = 52_000;

    int IDS_DEFAULT = 4_000;

    /**
     * As the server's own user: a build can read and change what the server can. The only choice if
     * the server does not run as root.
     */
    record ServerUser() implements BuildUsers {}

    /**
     * Each app has a user and group of its own, of equal id, which need not exist in /etc/passwd.
     * Needs root.
     */
    record UserPerApp(int firstId, int ids) implements BuildUsers {
        public UserPerApp {
            if (firstId <= 0 || ids <= 0 || firstId > Integer.MAX_VALUE - ids) {
                throw PetrichorException.invalid(
                        "the range of user ids for builds is invalid: use a positive first id and"
                                + " a positive count");
            }
        }
    }

    /** A user per app if this process is root, otherwise this process's user. */
    static BuildUsers forThisProcess() {
        return isRoot() ? new UserPerApp(FIRST_ID_DEFAULT, IDS_DEFAULT) : new ServerUser();
    }

    private static boolean isRoot() {
        try {
            Path self = Path.of("/proc/self");
            return Files.exists(self) && Files.getAttribute(self, "unix:uid").equals(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
