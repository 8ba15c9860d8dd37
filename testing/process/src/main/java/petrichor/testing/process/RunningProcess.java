package petrichor.testing.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** A child process, with the signals that an operating system can send. Thread-safe. */
public record RunningProcess(Process process) implements AutoCloseable {
    /** The caller redirects the output. */
    public static RunningProcess start(ProcessBuilder command) {
        try {
            return new RunningProcess(command.start());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    public boolean alive() {
        return process.isAlive();
    }

    /** Sends SIGKILL; returns when the process has ended. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Sends SIGTERM, and SIGKILL after {@code timeout}; returns when the process has ended. */
    public void stop(Duration timeout) {
        process.destroy();
        var _ =
                process.onExit()
                        .completeOnTimeout(process, timeout.toNanos(), TimeUnit.NANOSECONDS)
                        .join();
        kill();
    }

    /** Sends SIGSTOP: the process is suspended until {@link #resume}. */
    public void pause() {
        signal("-STOP");
    }

    /** Sends SIGCONT. */
    public void resume() {
        signal("-CONT");
    }

    private void signal(String name) {
        RunningProcess kill =
                start(new ProcessBuilder("kill", name, Long.toString(process.pid())).inheritIO());
        if (kill.process.onExit().join().exitValue() != 0 && alive()) {
            throw new IllegalStateException("kill " + name + " " + process.pid() + " failed");
        }
    }

    /** Processor time used so far. */
    public Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Resident memory; empty if the operating system does not report it. */
    public OptionalLong residentBytes() {
        return residentBytes(process.pid());
    }

    /** That of any process; empty if it has ended. */
    public static OptionalLong residentBytes(long pid) {
        Path status = Path.of("/proc/" + pid + "/status");
        if (!Files.isReadable(status)) {
            return OptionalLong.empty();
        }
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .findFirst();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Like {@link #kill}. */
    @Override
    public void close() {
        kill();
    }
}
