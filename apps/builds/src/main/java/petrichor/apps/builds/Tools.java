package petrichor.apps.builds;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The installed interpreters and package managers. Only those count that the user of builds can
 * execute: an interpreter in root's home folder is not among them. Thread-safe.
 */
final class Tools {
    /** What scripts and compilers expect besides the runtime. */
    private static final List<String> SYSTEM_FOLDERS =
            List.of("/usr/local/bin", "/usr/bin", "/bin");

    private final List<Path> folders;
    private final CommandRunner runner;

    Tools(List<Path> folders, CommandRunner runner) {
        this.folders = folders;
        this.runner = runner;
    }

    /** The executables of this name, in the order of the folders. */
    List<Path> find(String name) {
        List<Path> found = new ArrayList<>();
        for (Path folder : folders) {
            Path candidate = folder.resolve(name);
            if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
                found.add(candidate);
            }
        }
        return found;
    }

    /** The folders of executables and of the system, as a PATH. */
    static String path(List<Path> first) {
        Set<String> path = new LinkedHashSet<>();
        first.forEach(folder -> path.add(folder.toString()));
        path.addAll(SYSTEM_FOLDERS);
        return String.join(":", path);
    }

    String path() {
        return path(List.of());
    }

    /** The output of a tool as the user of builds; null if that user cannot run it or it fails. */
    @Nullable String ask(Path tool, List<String> arguments, @Nullable BuildUser user) {
        List<String> line = new ArrayList<>(List.of(tool.toString()));
        line.addAll(arguments);
        return runner.capture(
                line,
                Map.of(
                        "PATH", path(List.of(tool.getParent())),
                        "HOME", "/nonexistent",
                        "LC_ALL", "C.UTF-8",
                        "GOTOOLCHAIN", "local"),
                user);
    }
}
