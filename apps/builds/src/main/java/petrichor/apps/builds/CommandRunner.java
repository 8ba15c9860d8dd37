package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Runs commands in a {@link Confinement}, and kills every process of a command when it ends,
 * exceeds a limit or is cancelled. Thread-safe.
 */
final class CommandRunner {
    /** Longer lines are split. */
    private static final int LINE_BYTES_MAX = 1 << 14;

    /** How often limits and cancellation are checked. */
    private static final long CHECK_MILLIS = 100;

    /** Measuring a folder may take this part of the time. */
    private static final int MEASURING_SHARE = 20;

    private static final long MEASURING_PAUSE_NANOS_MIN = TimeUnit.SECONDS.toNanos(1);

    /** For output that is still in the pipe when the last process has ended. */
    private static final long DRAIN_SECONDS_MAX = 30;

    private static final long PROBE_SECONDS_MAX = 20;

    private static final File NO_INPUT = new File("/dev/null");

    private final Confinement confinement;
    private final AtomicLong commands = new AtomicLong();
    private final String marks;

    private CommandRunner(Confinement confinement, Path folder) {
        this.confinement = confinement;
        this.marks = folder + "#";
    }

    /**
     * Uses namespaces if commands run as other users and the system permits them.
     *
     * @param folder of builds, by which a later server finds processes that this one left
     */
    static CommandRunner of(BuildUsers users, Path folder) {
        return switch (users) {
            case BuildUsers.ServerUser _ -> withoutNamespaces(folder);
            case BuildUsers.UserPerApp perApp -> {
                BuildUser probe = new BuildUser(perApp.firstId(), perApp.firstId());
                CommandRunner inNamespaces = new CommandRunner(new Confinement(true), folder);
                yield inNamespaces.permits(probe) ? inNamespaces : withoutNamespaces(folder);
            }
        };
    }

    static CommandRunner withoutNamespaces(Path folder) {
        return new CommandRunner(new Confinement(false), folder);
    }

    /** Kills the commands that an earlier process left when it crashed. */
    void killLeftBehind() {
        ProcessTree.killMarked(marks);
    }

    private boolean permits(BuildUser user) {
        CommandEnd end =
                run(
                        new Command(
                                List.of("true"),
                                Path.of("/"),
                                Map.of("PATH", "/usr/bin:/bin"),
                                user,
                                System.nanoTime() + TimeUnit.SECONDS.toNanos(PROBE_SECONDS_MAX),
                                null),
                        new CommandOutput.Captured(),
                        Cancellation.never());
        return end instanceof CommandEnd.Exited exited && exited.succeeded();
    }

    /** The output of a short command that must succeed; null if it fails or does not exist. */
    @Nullable String capture(
            List<String> line, Map<String, String> environment, @Nullable BuildUser user) {
        CommandOutput.Captured output = new CommandOutput.Captured();
        CommandEnd end =
                run(
                        new Command(
                                line,
                                Path.of("/"),
                                environment,
                                user,
                                System.nanoTime() + TimeUnit.SECONDS.toNanos(PROBE_SECONDS_MAX),
                                null),
                        output,
                        Cancellation.never());
        return end instanceof CommandEnd.Exited exited && exited.succeeded() ? output.text() : null;
    }

    CommandEnd run(Command command, CommandOutput output, Cancellation cancellation) {
        String mark = marks + commands.incrementAndGet() + "#";
        Process process = start(command, mark);
        ProcessTree tree = new ProcessTree(process, mark);
        AtomicReference<@Nullable CommandEnd> stopped = new AtomicReference<>();
        FutureTask<Boolean> reader =
                new FutureTask<>(
                        () -> {
                            if (!readLines(process.getInputStream(), output)) {
                                stopped.compareAndSet(null, new CommandEnd.OutputTooLong());
                            }
                            return true;
                        });
        Thread _ = Thread.ofVirtual().name("build-output").start(reader);
        boolean ended = false;
        try {
            CommandEnd end = await(process, command, cancellation, stopped);
            if (!confinement.namespaces() || !(end instanceof CommandEnd.Exited)) {
                tree.kill();
            }
            // Otherwise the namespace has ended with the command.
            ended = true;
            drain(process, reader);
            CommandEnd reason = stopped.get();
            return reason == null ? end : reason;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new CommandEnd.Cancelled();
        } finally {
            if (!ended) {
                tree.kill();
            }
        }
    }

    private Process start(Command command, String mark) {
        List<String> line = confinement.enclose(command.line(), command.user());
        ProcessBuilder builder =
                new ProcessBuilder(line)
                        .directory(command.folder().toFile())
                        .redirectErrorStream(true)
                        .redirectInput(ProcessBuilder.Redirect.from(NO_INPUT));
        builder.environment().clear();
        builder.environment().putAll(command.environment());
        builder.environment().put(ProcessTree.MARK, mark);
        try {
            return builder.start();
        } catch (IOException e) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    e,
                    "cannot start {program}: {reason}. Builds need setsid, prlimit, setpriv and"
                            + " unshare of util-linux: install it",
                    "program",
                    line.getFirst(),
                    "reason",
                    e.getMessage());
        }
    }

    private static CommandEnd await(
            Process process,
            Command command,
            Cancellation cancellation,
            AtomicReference<@Nullable CommandEnd> stopped)
            throws InterruptedException {
        long nextMeasuring = System.nanoTime() + MEASURING_PAUSE_NANOS_MIN;
        while (!process.waitFor(CHECK_MILLIS, TimeUnit.MILLISECONDS)) {
            CommandEnd reason = stopped.get();
            if (reason != null) {
                return reason;
            }
            if (cancellation.reasonToStop() != null) {
                return new CommandEnd.Cancelled();
            }
            long now = System.nanoTime();
            if (now - command.deadlineNanos() >= 0) {
                return new CommandEnd.TimedOut();
            }
            if (now - nextMeasuring >= 0) {
                if (isFull(command.bounds())) {
                    return new CommandEnd.DiskFull();
                }
                long took = System.nanoTime() - now;
                nextMeasuring = now + Math.max(MEASURING_PAUSE_NANOS_MIN, MEASURING_SHARE * took);
            }
        }
        return isFull(command.bounds())
                ? new CommandEnd.DiskFull()
                : new CommandEnd.Exited(process.exitValue());
    }

    private static boolean isFull(Command.@Nullable DiskBound bounds) {
        if (bounds == null) {
            return false;
        }
        long bytes = 0;
        try {
            for (Path folder : bounds.folders()) {
                bytes += FileTrees.extent(folder, false).bytes();
            }
        } catch (IOException | UncheckedIOException changedMeanwhile) {
            return false;
        }
        return bytes > bounds.bytesMax();
    }

    private static void drain(Process process, FutureTask<Boolean> reader)
            throws InterruptedException {
        try {
            boolean _ = reader.get(DRAIN_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (TimeoutException processEscaped) {
            closeQuietly(process.getInputStream());
        } catch (ExecutionException e) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    e.getCause(),
                    "cannot write the log of a build: {reason}; check the disk",
                    "reason",
                    String.valueOf(e.getCause()));
        }
    }

    private static void closeQuietly(InputStream stream) {
        try {
            stream.close();
        } catch (IOException alreadyClosed) {
            // Nothing is left to read.
        }
    }

    /** False if the output asked to stop. */
    private static boolean readLines(InputStream stream, CommandOutput output) throws IOException {
        boolean more = true;
        try (InputStream in = new BufferedInputStream(stream)) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int c = in.read(); c >= 0 && more; c = in.read()) {
                if (c == '\n' || line.size() >= LINE_BYTES_MAX) {
                    more = output.line(line.toString(UTF_8).stripTrailing());
                    line.reset();
                }
                if (c != '\n') {
                    line.write(c);
                }
            }
            if (more && line.size() > 0) {
                more = output.line(line.toString(UTF_8).stripTrailing());
            }
        }
        return more;
    }
}
