package petrichor.base;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads processes from {@code /proc}. */
public final class LinuxProcesses {
    private static final Path PROC = Path.of("/proc");

    /** Indexes of fields in {@code stat}, after the process name. */
    private static final int STATE = 0;

    private static final int START_TICKS = 19;

    private LinuxProcesses() {}

    /** Start time of a process in clock ticks since boot; -1 if it does not exist. */
    public static long startTicks(long pid) {
        return words(pid).map(words -> Long.parseLong(words[START_TICKS])).orElse(-1L);
    }

    /** The fields of {@code stat} after the name; empty for processes that have ended (zombies). */
    private static Optional<String[]> words(long pid) {
        try {
            String stat =
                    Files.readString(
                            PROC.resolve(Long.toString(pid)).resolve("stat"),
                            StandardCharsets.ISO_8859_1);
            // The name may contain spaces and parentheses.
            String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return words[STATE].equals("Z") || words[STATE].equals("X")
                    ? Optional.empty()
                    : Optional.of(words);
        } catch (IOException gone) {
            return Optional.empty();
        }
    }

    /** Processes with this entry in their environment, and their descendants. */
    public static List<Long> marked(String mark) {
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

    /**
     * Whether a process has this socket among its open files; false if the process has ended, and
     * true if its open files are not readable.
     *
     * @param inode as the kernel lists it in {@code /proc/net/tcp}
     */
    public static boolean mayHoldSocket(long pid, long inode) {
        String socket = "socket:[" + inode + "]";
        Path files = PROC.resolve(Long.toString(pid)).resolve("fd");
        try (var all = Files.newDirectoryStream(files)) {
            for (Path each : all) {
                if (isLinkTo(each, socket)) {
                    return true;
                }
            }
            return false;
        } catch (AccessDeniedException ofAnotherUser) {
            return true;
        } catch (IOException | DirectoryIteratorException gone) {
            return false;
        }
    }

    private static boolean isLinkTo(Path link, String target) {
        try {
            return Files.readSymbolicLink(link).toString().equals(target);
        } catch (IOException closed) {
            return false;
        }
    }

    /** The command line of a process; empty if it does not exist. */
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
