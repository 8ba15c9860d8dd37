package petrichor.apps.instances;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import petrichor.base.LinuxProcesses;

/**
 * The processes of an instance: the first one, and the tree below it. Thread-safe.
 *
 * <p>In its own namespaces, the first process is {@code unshare}, which waits for the first process
 * of the namespace and takes over its status.
 */
final class InstanceProcess {
    private static final Duration POLL = Duration.ofMillis(5);
    private static final int SIGNALED = 128;
    private static final int SIGNAL_MAX = 64;

    /** Status of a process that was ended by SIGKILL. */
    static final int KILLED = SIGNALED + 9;

    private static final Map<Integer, String> SIGNALS =
            Map.of(6, " (SIGABRT)", 9, " (SIGKILL)", 11, " (SIGSEGV)", 15, " (SIGTERM)");

    private final Process first;
    private final Isolation.Namespaces namespaces;
    private final ControlGroup group;
    private final String mark;

    /** Once: each call of onExit returns another future, which is completed later. */
    private final CompletableFuture<Integer> exit;

    private InstanceProcess(
            Process first, Isolation.Namespaces namespaces, ControlGroup group, String mark) {
        this.first = first;
        this.namespaces = namespaces;
        this.group = group;
        this.mark = mark;
        this.exit = first.onExit().thenApply(Process::exitValue);
    }

    /**
     * To be called by a thread that lives as long as the platform: the kernel ends the process when
     * this thread ends.
     *
     * @param variables of the scripts before the app
     * @param environment of the app
     * @param mark an entry of the environment that no other process has; empty if not needed
     */
    static InstanceProcess start(
            List<String> command,
            Map<String, String> variables,
            Map<String, String> environment,
            Isolation.Namespaces namespaces,
            ControlGroup group,
            String mark)
            throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(Path.of("/").toFile());
        Map<String, String> own = builder.environment();
        own.clear();
        own.putAll(variables);
        own.put("PATH", Launch.SYSTEM_PATH);
        own.put(
                "GATES",
                group.gates().stream().map(Path::toString).collect(Collectors.joining("\n")));
        Process first = builder.start();
        InstanceProcess process = new InstanceProcess(first, namespaces, group, mark);
        // In another thread: the pipe may be full until the last stage reads it.
        Thread.ofVirtual()
                .name("environment of " + first.pid())
                .start(() -> write(first, Launch.environment(environment)));
        return process;
    }

    private static void write(Process process, byte[] environment) {
        try (OutputStream to = process.getOutputStream()) {
            to.write(environment);
        } catch (IOException ended) {
            // The end of the process is reported by its status.
        }
    }

    long pid() {
        return first.pid();
    }

    Process streams() {
        return first;
    }

    /** The exit status; 128 plus the number of a signal that ended the app. */
    CompletableFuture<Integer> exit() {
        return exit;
    }

    /** SIGTERM to all processes of the app. */
    void terminate() {
        if (namespaces == Isolation.Namespaces.NONE) {
            // Process.destroy would also close the streams, and lose the last output.
            first.toHandle().destroy();
        } else {
            // unshare blocks this signal; its child forwards it.
            first.children().forEach(ProcessHandle::destroy);
        }
    }

    /** SIGKILL to all processes, and waits for their end; false if some remain. */
    boolean kill(Duration timeMax) throws InterruptedException {
        long endNanos = System.nanoTime() + timeMax.toNanos();
        while (true) {
            // Repeated, as a process may start another one meanwhile.
            group.kill();
            first.children().forEach(ProcessHandle::destroyForcibly);
            first.toHandle().destroyForcibly();
            List<Long> marked = mark.isEmpty() ? List.of() : LinuxProcesses.marked(mark);
            marked.forEach(LinuxProcesses::kill);
            boolean ended = first.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS);
            if (ended && marked.isEmpty() && group.members().isEmpty()) {
                return true;
            }
            if (System.nanoTime() > endNanos) {
                return false;
            }
            LockSupport.parkNanos(POLL.toNanos());
        }
    }

    /**
     * Whether one of its processes has this socket. Also true where that is unknown: the open files
     * of a process of another user are readable for root only.
     */
    boolean mayHold(long inode) {
        Set<Long> all = new HashSet<>(group.members());
        all.add(first.pid());
        first.descendants().forEach(each -> all.add(each.pid()));
        if (!mark.isEmpty()) {
            all.addAll(LinuxProcesses.marked(mark));
        }
        return all.stream().anyMatch(pid -> LinuxProcesses.mayHoldSocket(pid, inode));
    }

    /** What its status means. */
    static String describe(int status) {
        int signal = status - SIGNALED;
        return signal > 0 && signal <= SIGNAL_MAX
                ? "was ended by signal " + signal + SIGNALS.getOrDefault(signal, "")
                : "exited with status " + status;
    }
}
