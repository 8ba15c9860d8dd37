package petrichor.testing.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** A process of ours, and what an operating system does to processes. Safe for any thread. */
public record RunningProcess(Process process) implements AutoCloseable {
    /** Its output is the caller's to redirect. */
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

    /** SIGKILL; returns when it is gone. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** SIGTERM, and SIGKILL if that does not end it in time; returns when it is gone. */
    public void stop(Duration patience) {
        process.destroy();
        var _ =
                process.onExit()
                        .completeOnTimeout(process, patience.toNanos(), TimeUnit.NANOSECONDS)
                        .join();
        kill();
    }

    /** SIGSTOP: it stands still until {@link #resume}. */
    public void pause() {
        signal("-STOP");
    }

    /** SIGCONT. */
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

    /** Resident memory; empty where the operating system does not report it. */
    public OptionalLong residentBytes() {
        Path status = Path.of("/proc/" + process.pid() + "/status");
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

    /** As {@link #kill}. */
    @Override
    public void close() {
        kill();
    }
}
