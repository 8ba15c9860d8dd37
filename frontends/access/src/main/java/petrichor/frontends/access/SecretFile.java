package petrichor.frontends.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Reads files with secrets, and checks their mode: other users may neither read nor write them. The
 * group may read them, so that a file can belong to root and be readable by the server's group.
 * Stateless.
 */
public final class SecretFile {
    /** A thousand tokens need about 200 KB. */
    private static final int BYTES_MAX = 1 << 20;

    private static final Set<PosixFilePermission> FORBIDDEN =
            Set.of(
                    PosixFilePermission.OTHERS_READ,
                    PosixFilePermission.OTHERS_WRITE,
                    PosixFilePermission.GROUP_WRITE);

    private SecretFile() {}

    /**
     * The text of the file. FAILED_PRECONDITION if its mode is too permissive; not checked on file
     * systems without modes.
     *
     * @param key configuration key of the file, for error messages
     */
    public static String read(String key, Path file) {
        try {
            if (Files.getFileStore(file).supportsFileAttributeView("posix")
                    && Files.getPosixFilePermissions(file).stream().anyMatch(FORBIDDEN::contains)) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "{key} {file} can be read or changed by other users of this machine; run"
                                + " chmod 600 {file}",
                        "key",
                        key,
                        "file",
                        file);
            }
            if (Files.size(file) > BYTES_MAX) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "{key} {file} is larger than " + BYTES_MAX + " bytes",
                        "key",
                        key,
                        "file",
                        file);
            }
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read " + key + " " + file, unreadable);
        }
    }
}
