package petrichor.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Runs commands to completion, with a timeout, and returns their output. Thread-safe. */
final class Shell {
    /** For queries, even on a busy machine. */
    static final Duration QUICK = Duration.ofSeconds(30);

    /** For downloads and builds. */
    static final Duration LONG = Duration.ofMinutes(20);

    static final Input NO_INPUT = _ -> {};

    /** The exit code of ssh when it cannot reach the host. */
    private static final int SSH_FAILED = 255;

    private static final int COMPLAINT_LINES_MAX = 6;

    private static final Executor THREADS = task -> Thread.ofVirtual().start(task);

    /** Writes a command's standard input. */
    interface Input {
        void to(OutputStream stdin) throws IOException;
    }

    /** Outcome of a command. */
    record Ended(String where, int code, String output, String errors) {
        boolean succeeded() {
            return code == 0;
        }

        /** The output; INTERNAL with the command's error output if it failed. */
        String required(String toDo) {
            if (succeeded()) {
                return output;
            }
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "could not {toDo} on {host}: {output}",
                    "toDo",
                    toDo,
                    "host",
                    where,
                    "output",
                    complaint());
        }

        /** The last lines of its output, which name the error. */
        String complaint() {
            String said = (errors.isBlank() ? output : errors).strip();
            return said.isEmpty()
                    ? "it ended with code " + code
                    : lastLines(said, COMPLAINT_LINES_MAX);
        }
    }

    private Shell() {}

    static Ended run(Host host, String script) {
        return run(host, script, NO_INPUT, QUICK);
    }

    /** UNAVAILABLE if the host cannot be reached: its state is unknown then. */
    static Ended run(Host host, String script, Input input, Duration timeMax) {
        Ended ended = run(host.name(), host.command(script), input, timeMax);
        if (host instanceof Host.OverSsh && ended.code() == SSH_FAILED) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "ssh cannot reach {host}: {output}",
                    "output",
                    ended.complaint(),
                    "host",
                    host.name());
        }
        return ended;
    }

    static Ended run(List<String> command, Input input, Duration timeMax) {
        return run("this machine", command, input, timeMax);
    }

    private static Ended run(String where, List<String> command, Input input, Duration timeMax) {
        Process process;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException missing) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    missing,
                    "the command {command} cannot be run: {reason}",
                    "reason",
                    missing.getMessage(),
                    "command",
                    command.getFirst());
        }
        try {
            CompletableFuture<String> output = all(process.getInputStream());
            CompletableFuture<String> errors = all(process.getErrorStream());
            CompletableFuture<Void> given =
                    CompletableFuture.runAsync(() -> give(process, input), THREADS);
            if (!process.waitFor(timeMax.toMillis(), TimeUnit.MILLISECONDS)) {
                throw PetrichorException.of(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "a command on {host} did not end within {timeMax} s",
                        "host",
                        where,
                        "timeMax",
                        timeMax.toSeconds());
            }
            given.cancel(false);
            return new Ended(where, process.exitValue(), output.join(), errors.join());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, "interrupted while waiting for {host}", "host", where);
        } finally {
            if (process.isAlive()) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        }
    }

    private static void give(Process process, Input input) {
        try (OutputStream stdin = process.getOutputStream()) {
            input.to(stdin);
        } catch (IOException ended) {
            // The exit code reports a command that ends before it has read all its input.
        }
    }

    private static CompletableFuture<String> all(InputStream stream) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (stream) {
                        return new String(stream.readAllBytes(), UTF_8);
                    } catch (IOException closed) {
                        throw new UncheckedIOException(closed);
                    }
                },
                THREADS);
    }

    static String lastLines(String text, int lines) {
        List<String> all = text.lines().toList();
        return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
    }

    /** Quotes one word of a shell command line. */
    static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** Quotes several words of a shell command line. */
    static String quoted(List<String> words) {
        return String.join(" ", words.stream().map(Shell::quoted).toList());
    }
}
