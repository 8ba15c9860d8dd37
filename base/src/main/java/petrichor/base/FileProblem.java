package petrichor.base;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/** Explains a failed file operation to the user who named the file. Stateless. */
public final class FileProblem {
    private FileProblem() {}

    /**
     * The failure to throw: "cannot read cities.jsonl: there is no such file".
     *
     * @param cannot the attempted operation, with the file's name: "cannot read cities.jsonl"
     */
    public static PetrichorException of(String cannot, IOException cause) {
        return PetrichorException.of(
                code(cause),
                cause,
                "{operation}: {reason}",
                "reason",
                reason(cause),
                "operation",
                cannot);
    }

    /** Java's own texts name a class or repeat the file's name; these name the problem. */
    public static String reason(IOException cause) {
        return switch (cause) {
            case NoSuchFileException _, FileNotFoundException _ ->
                    "there is no such file or folder";
            case AccessDeniedException _ -> "permission denied";
            case FileAlreadyExistsException _ -> "a file of this name already exists";
            case NotDirectoryException _ -> "a part of the path is not a folder";
            case EOFException _ -> "it ends too early; it is truncated or still being written";
            case FileSystemException other ->
                    Objects.requireNonNullElse(other.getReason(), other.toString());
            case IOException other ->
                    Objects.requireNonNullElse(other.getMessage(), other.toString());
        };
    }

    /** Java has no class for a full disk, only the system's text. */
    private static boolean isFull(String reason) {
        return reason.contains("No space left") || reason.contains("quota exceeded");
    }

    private static ErrorCode code(IOException cause) {
        return switch (cause) {
            case NoSuchFileException _, FileNotFoundException _ -> ErrorCode.NOT_FOUND;
            case AccessDeniedException _ -> ErrorCode.PERMISSION_DENIED;
            case FileAlreadyExistsException _ -> ErrorCode.ALREADY_EXISTS;
            case EOFException _ -> ErrorCode.INVALID_ARGUMENT;
            case IOException other ->
                    isFull(reason(other))
                            ? ErrorCode.RESOURCE_EXHAUSTED
                            : ErrorCode.FAILED_PRECONDITION;
        };
    }
}
