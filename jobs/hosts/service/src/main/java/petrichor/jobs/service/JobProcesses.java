package petrichor.jobs.service;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import petrichor.jobs.leased.LeasedMachines;

/**
 * Ends all processes that a job's code has started, even those that left its process tree or its
 * session: by a control group of its own (cgroup v2) where this user may create one, and by a mark
 * in the environment, which child processes inherit. Without a control group, a process that
 * removes the mark escapes. The machines that a job leased are not ended here: their owner releases
 * them. Only on Linux; elsewhere it does nothing. Safe for all threads.
 */
final class JobProcesses {
    /** Limit of a job's processes and threads, where the control group can enforce it. */
    static final int PROCESSES_MAX = 8_192;

    /**
     * Limit of one file that a job writes: 256 GiB, in the 512-byte blocks of {@code ulimit -f}.
     */
    static final long FILE_BLOCKS_MAX = (256L << 30) / 512;

    private static final int PASSES_MAX = 20;
    private static final long END_POLL_NANOS = 5_000_000;
    private static final Path PROC = Path.of("/proc");
    private static final String UNIFIED = "cgroup2";

    private final String mark = UUID.randomUUID().toString();
    private Optional<Path> group = Optional.empty();

    String mark() {
        return mark;
    }

    /** Wraps a command in a shell that sets resource limits and is replaced by the command. */
    static List<String> limited(List<String> command) {
        if (!Files.isExecutable(Path.of("/bin/sh"))) {
            return command;
        }
        List<String> limited =
                new ArrayList<>(
                        List.of(
                                "/bin/sh",
                                "-c",
                                "ulimit -f "
                                        + FILE_BLOCKS_MAX
                                        + " 2>/dev/null; exec \"$0\" \"$@\""));
        limited.addAll(command);
        return limited;
    }

    /** Puts a process, which must not have children yet, into a control group if possible. */
    synchronized void enclose(long pid) {
        Optional<Path> parent = ownGroup();
        if (parent.isEmpty()) {
            return;
        }
        Path own = parent.get().resolve("petrichor-job-" + mark);
        try {
            Files.createDirectory(own);
            group = Optional.of(own);
            Path count = own.resolve("pids.max");
            if (Files.exists(count)) {
                Files.writeString(count, Integer.toString(PROCESSES_MAX));
            }
            Files.writeString(own.resolve("cgroup.procs"), Long.toString(pid));
        } catch (IOException e) {
            System.getLogger(JobProcesses.class.getName())
                    .log(System.Logger.Level.DEBUG, "no control group for a job", e);
            remove();
        }
    }

    boolean isEnclosed() {
        return group.isPresent();
    }

    /** The control group of this process in the unified hierarchy; empty if there is none. */
    private static Optional<Path> ownGroup() {
        try {
            String below = "";
            for (String line : Files.readAllLines(PROC.resolve("self/cgroup"))) {
                below = line.startsWith("0::") ? line.substring("0::/".length()) : below;
            }
            for (String line : Files.readAllLines(PROC.resolve("self/mounts"))) {
                String[] words = line.split(" ", -1);
                if (words.length > 2 && words[2].equals(UNIFIED)) {
                    Path found = Path.of(words[1]).resolve(below);
                    return Files.isWritable(found) ? Optional.of(found) : Optional.empty();
                }
            }
        } catch (IOException notLinux) {
            // Control groups are not available.
        }
        return Optional.empty();
    }

    /** Ends all remaining processes of the job, whose own process has ended. */
    synchronized void end() {
        group.ifPresent(
                own -> {
                    try {
                        Files.writeString(own.resolve("cgroup.kill"), "1");
                    } catch (IOException old) {
                        // A kernel before 5.14: rely on the mark.
                    }
                });
        for (int pass = 0; pass < PASSES_MAX; pass++) {
            List<ProcessHandle> left = marked();
            if (left.isEmpty()) {
                break;
            }
            left.forEach(ProcessHandle::destroyForcibly);
            LockSupport.parkNanos(END_POLL_NANOS);
        }
        remove();
    }

    private List<ProcessHandle> marked() {
        List<ProcessHandle> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path each : all) {
                String environment = environment(each);
                if (environment.contains(JobEnvironment.MARK + "=" + mark + "\0")
                        && !environment.contains(LeasedMachines.PROCESS_MARK + "=")) {
                    ProcessHandle.of(Long.parseLong(each.getFileName().toString()))
                            .ifPresent(found::add);
                }
            }
        } catch (IOException notLinux) {
            // Rely on the process tree.
        }
        return found;
    }

    private static String environment(Path process) {
        try {
            return Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
        } catch (IOException goneOrNotOurs) {
            return "";
        }
    }

    /** An empty group can be removed at once; one whose processes are still ending cannot. */
    private void remove() {
        Optional<Path> own = group;
        for (int pass = 0; own.isPresent() && pass < PASSES_MAX; pass++) {
            try {
                Files.deleteIfExists(own.get());
                group = Optional.empty();
                return;
            } catch (IOException busy) {
                LockSupport.parkNanos(END_POLL_NANOS);
            }
        }
    }
}
