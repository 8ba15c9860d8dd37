package petrichor.cloud.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import petrichor.base.FileProblem;

/** What {@code /proc} says. */
public final class LinuxProcesses {
    private static final Path PROC = Path.of("/proc");

    /** Of the words behind a process' name in its {@code stat}. */
    private static final int STATE = 0;

    private static final int START_TICKS = 19;

    private LinuxProcesses() {}

    /** When a process started, in ticks since the computer did; -1 if there is none. */
    public static long startTicks(long pid) {
        return words(pid).map(words -> Long.parseLong(words[START_TICKS])).orElse(-1L);
    }

    /** Empty for those that have ended and are only waited for. */
    private static Optional<String[]> words(long pid) {
        try {
            String stat =
                    Files.readString(
                            PROC.resolve(Long.toString(pid)).resolve("stat"),
                            StandardCharsets.ISO_8859_1);
            // The name may have blanks and brackets in it.
            String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return words[STATE].equals("Z") || words[STATE].equals("X")
                    ? Optional.empty()
                    : Optional.of(words);
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    /** Those that were started with this in their environment, and their children. */
    static List<Long> marked(String mark) {
        List<Long> pids = new ArrayList<>();
        try (var all = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path each : all) {
                long pid = Long.parseLong(each.getFileName().toString());
                if (hasMark(each, mark) && words(pid).isPresent()) {
                    pids.add(pid);
                }
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot list the processes in " + PROC, e);
        }
        return pids;
    }

    private static boolean hasMark(Path process, String mark) {
        try {
            String environment =
                    Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
            return environment.startsWith(mark + "\0") || environment.contains("\0" + mark + "\0");
        } catch (IOException goneOrNotOurs) {
            return false;
        }
    }

    /** What a process was started with; empty if there is none. */
    public static String command(long pid) {
        try {
            return Files.readString(
                            PROC.resolve(Long.toString(pid)).resolve("cmdline"),
                            StandardCharsets.ISO_8859_1)
                    .replace('\0', ' ');
        } catch (IOException gone) {
            return "";
        }
    }

    public static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
}
