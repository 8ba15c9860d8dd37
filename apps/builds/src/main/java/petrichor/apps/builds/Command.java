package petrichor.apps.builds;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command to run to its end.
 *
 * @param line program and arguments, without secrets: it is logged
 * @param environment complete: nothing is inherited
 * @param user null for the server's user
 * @param bounds null for commands that write no files
 */
record Command(
        List<String> line,
        Path folder,
        Map<String, String> environment,
        @Nullable BuildUser user,
        long deadlineNanos,
        @Nullable DiskBound bounds) {
    Command {
        line = List.copyOf(line);
        environment = Map.copyOf(environment);
    }

    /** The files that a command and those before it may have written. */
    record DiskBound(List<Path> folders, long bytesMax) {
        DiskBound {
            folders = List.copyOf(folders);
        }
    }
}
