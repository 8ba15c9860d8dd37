package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * All processes of a command: its process group, its descendants, and every process with the
 * command's mark in its environment. Thread-safe.
 */
final class ProcessTree {
    static final String MARK = "PETRICHOR_COMMAND";

    private static final Path PROC = Path.of("/proc");

    /** A process that forks meanwhile is found by the next pass. */
    private static final int PASSES_MAX = 20;

    private static final long KILL_SECONDS_MAX = 10;

    private final Process leader;
    private final String mark;

    /**
     * @param leader of a process group
     */
    ProcessTree(Process leader, String mark) {
        this.leader = leader;
        this.mark = mark;
    }

    /** Kills all of them. */
    void kill() {
        killGroup();
        leader.descendants().forEach(ProcessHandle::destroyForcibly);
        Process _ = leader.destroyForcibly();
        killMarked(mark);
    }

    /** Kills all processes whose mark starts so, such as those that a crashed server left. */
    static void killMarked(String markPrefix) {
        for (int pass = 0; pass < PASSES_MAX && killPass(markPrefix); pass++) {
            Thread.onSpinWait();
        }
    }

    /** Java cannot signal a group. The group of an ended leader exists while it has a member. */
    private void killGroup() {
        try {
            Process kill =
                    new ProcessBuilder(List.of("/bin/sh", "-c", "kill -KILL -" + leader.pid()))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            if (!kill.waitFor(KILL_SECONDS_MAX, TimeUnit.SECONDS)) {
                Process _ = kill.destroyForcibly();
            }
        } catch (IOException noShell) {
            Process _ = leader.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether there were any. */
    private static boolean killPass(String markPrefix) {
        String marked = MARK + "=" + markPrefix;
        boolean found = false;
        try (Stream<Path> processes = Files.list(PROC)) {
            for (Path process : (Iterable<Path>) processes::iterator) {
                String name = process.getFileName().toString();
                if (Character.isDigit(name.charAt(0)) && environment(process).contains(marked)) {
                    found |=
                            ProcessHandle.of(Long.parseLong(name))
                                    .map(ProcessHandle::destroyForcibly)
                                    .orElse(false);
                }
            }
        } catch (IOException noProc) {
            return false;
        }
        return found;
    }

    private static String environment(Path process) {
        try {
            return new String(Files.readAllBytes(process.resolve("environ")), ISO_8859_1);
        } catch (IOException anotherUsersOrGone) {
            return "";
        }
    }
}
