package petrichor.server.data;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The identity of a process, by which other processes on the same machine can reliably determine
 * whether it has ended: boot id, PID namespace, PID and start time. Linux only; unknown on other
 * systems.
 */
final class LocalProcess {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NAMESPACE = Path.of("/proc/self/ns/pid");

    /**
     * Not visible if the system hides processes of other users; then a missing process may still be
     * running.
     */
    private static final Path FIRST = Path.of("/proc/1");

    private static final String SEPARATOR = " ";

    /** Index in /proc/PID/stat after the process name, which may contain any characters. */
    private static final int START_FIELD = 19;

    private LocalProcess() {}

    /** Empty if unknown. */
    static String self() {
        long pid = ProcessHandle.current().pid();
        return kernel().flatMap(
                        kernel ->
                                startOf(pid)
                                        .map(start -> kernel + SEPARATOR + pid + SEPARATOR + start))
                .orElse("");
    }

    /** Whether the process with this identity has certainly ended. */
    static boolean hasEnded(String process) {
        String[] parts = process.split(SEPARATOR, -1);
        if (parts.length != 3 || !kernel().equals(Optional.of(parts[0]))) {
            return false;
        }
        long pid = Long.parseLong(parts[1]);
        return startOf(pid)
                .map(start -> !start.equals(parts[2]))
                .orElseGet(() -> Files.exists(FIRST) && Files.notExists(folder(pid)));
    }

    private static Optional<String> kernel() {
        try {
            return Optional.of(
                    Files.readString(BOOT).strip() + "/" + Files.readSymbolicLink(NAMESPACE));
        } catch (IOException | UnsupportedOperationException elsewhere) {
            return Optional.empty();
        }
    }

    private static Optional<String> startOf(long pid) {
        try {
            String stat = Files.readString(stat(pid));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return Optional.of(fields[START_FIELD]);
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    private static Path stat(long pid) {
        return folder(pid).resolve("stat");
    }

    private static Path folder(long pid) {
        return Path.of("/proc", Long.toString(pid));
    }
}
