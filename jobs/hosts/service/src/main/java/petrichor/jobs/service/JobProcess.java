package petrichor.jobs.service;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.AotCache;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.workers.TemporaryFolder;

/**
 * The process of a job, seen from the service: {@link JobProcessMain} runs in it. It is started
 * before it is known which job it will run, because a JVM needs half a second to start. Safe for
 * all threads.
 */
final class JobProcess implements AutoCloseable {
    /** Longest line of a job's process; a plan's drawing is the longest. */
    private static final int LINE_BYTES_MAX = 8 << 20;

    private static final int OUTPUT_LINES_MAX = 100;
    private static final int OUTPUT_LINE_BYTES_MAX = 1_000;
    private static final long END_WAIT_S = 10;

    /** Time for workers to end after their job's process; user code may have started others. */
    private static final Duration WORKERS_END_WAIT = Duration.ofSeconds(5);

    private final Process process;
    private final TemporaryFolder temporary;
    private final JobProcesses cage;
    private final Deque<String> output = new ArrayDeque<>();
    private volatile long heardNanos = System.nanoTime();
    private volatile @Nullable String endedBecause;
    private volatile @Nullable Thread outputReader;

    /** Takes the events of the process, and finally its end. */
    interface Listener {
        void happened(Progress.Event event);

        /**
         * @param status with which it exited; -1 if it was ended
         */
        void gone(String how, int status);
    }

    private JobProcess(Process process, TemporaryFolder temporary, JobProcesses cage) {
        this.process = process;
        this.cage = cage;
        this.temporary = temporary;
    }

    static JobProcess start(JobSettings settings) {
        long heap = settings.jobMemoryBytes() >> 20;
        TemporaryFolder temporary = temporary();
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(AotCache.flags());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        // Protocol Buffers uses it; a warning would look like the job's output.
                        "--sun-misc-unsafe-memory-access=allow",
                        temporary.jvmArgument(),
                        "-XX:+UseSerialGC",
                        "-Xmx" + heap + "m",
                        // Files and channels use memory beside the heap.
                        "-XX:MaxDirectMemorySize=" + heap + "m",
                        "-D" + EngineOptions.SPILL_PROPERTY + "=" + settings.spillBytesMax(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        JobProcessMain.class.getName()));
        try {
            JobProcesses cage = new JobProcesses();
            ProcessBuilder builder = new ProcessBuilder(JobProcesses.limited(command));
            JobEnvironment.limit(builder.environment(), cage.mark());
            return new JobProcess(builder.start(), temporary, cage);
        } catch (IOException e) {
            temporary.close();
            throw FileProblem.of("cannot start a process for a job", e);
        }
    }

    private static TemporaryFolder temporary() {
        try {
            return TemporaryFolder.create();
        } catch (IOException e) {
            throw FileProblem.of("cannot create a folder for a job's temporary files", e);
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** To be called once. */
    void run(Assignment assignment, Duration silenceMax, Listener listener) {
        heardNanos = System.nanoTime();
        outputReader = Thread.ofVirtual().name("output of job").start(() -> keepOutput(listener));
        Thread.ofVirtual().name("events of job").start(() -> listen(listener));
        if (assignment.submission().cloud() == null) {
            // Machines must outlive the process that leased them.
            cage.enclose(pid());
        }
        Thread.ofVirtual().name("silence of job").start(() -> watch(silenceMax));
        write(assignment.json());
    }

    void cancel() {
        write(JobProcessMain.CANCEL);
    }

    /** Ends a process that no longer reads; its listener receives the end. */
    private void write(String line) {
        try {
            OutputStream to = process.getOutputStream();
            synchronized (process) {
                to.write((line + "\n").getBytes(StandardCharsets.UTF_8));
                to.flush();
            }
        } catch (IOException e) {
            end("it no longer reads its input: " + e.getMessage());
        }
    }

    private void listen(Listener listener) {
        try (InputStream in = new BufferedInputStream(process.getInputStream())) {
            for (String line = line(in, LINE_BYTES_MAX, false);
                    line != null;
                    line = line(in, LINE_BYTES_MAX, false)) {
                heardNanos = System.nanoTime();
                if (!line.equals(JobProcessMain.READY)) {
                    Progress.Event event = ProgressJson.event(line);
                    if (event.hasPrinted()) {
                        event.getPrinted()
                                .getText()
                                .lines()
                                .map(JobProcess::cut)
                                .forEach(this::keep);
                    }
                    listener.happened(event);
                }
            }
        } catch (IOException e) {
            // It is gone, or was ended.
        } catch (PetrichorException nonsense) {
            end(String.valueOf(nonsense.getMessage()));
        } finally {
            int status = status();
            listener.gone(how(status), status);
        }
    }

    private int status() {
        try {
            if (!process.waitFor(END_WAIT_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            cage.end();
            awaitWorkers();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        temporary.close();
        return endedBecause != null || process.isAlive() ? -1 : process.exitValue();
    }

    private String how(int status) {
        String because = endedBecause;
        if (because != null) {
            return "was stopped: " + because;
        }
        return switch (status) {
            case 0 -> "exited by itself: its code called Runtime.halt";
            case 137 -> "was killed: by a user, or by the system because memory ran out";
            default -> "died with exit code " + status;
        };
    }

    /** Workers inherit the standard error of the process; it is closed when the last one ends. */
    private void awaitWorkers() throws InterruptedException {
        Thread reader = outputReader;
        if (reader != null && !reader.join(WORKERS_END_WAIT)) {
            System.getLogger(JobProcess.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "child processes of the process {0} of a job are still running",
                            Long.toString(pid()));
        }
    }

    private void watch(Duration silenceMax) {
        try {
            while (!process.waitFor(silenceMax.toMillis() / 4 + 1, TimeUnit.MILLISECONDS)) {
                if (System.nanoTime() - heardNanos > silenceMax.toNanos()) {
                    end(
                            "it sent nothing for "
                                    + silenceMax.toSeconds()
                                    + " s, most likely because its code uses all memory");
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void keepOutput(Listener listener) {
        try (InputStream in = new BufferedInputStream(process.getErrorStream())) {
            for (String line = line(in, OUTPUT_LINE_BYTES_MAX, true);
                    line != null;
                    line = line(in, OUTPUT_LINE_BYTES_MAX, true)) {
                keep(line);
                listener.happened(EventMessages.printed(true, line + "\n"));
            }
        } catch (IOException e) {
            // It is gone.
        }
    }

    private void keep(String line) {
        synchronized (output) {
            output.addLast(line);
            if (output.size() > OUTPUT_LINES_MAX) {
                output.removeFirst();
            }
        }
    }

    private static String cut(String line) {
        return line.substring(0, Math.min(line.length(), OUTPUT_LINE_BYTES_MAX));
    }

    /** The last lines that its code printed. */
    List<String> output() {
        synchronized (output) {
            return List.copyOf(output);
        }
    }

    /** Null at the end. */
    private static @Nullable String line(InputStream in, int bytesMax, boolean cut)
            throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        while (next >= 0 && next != '\n') {
            if (line.size() < bytesMax) {
                line.write(next);
            } else if (!cut) {
                throw PetrichorException.invalid(
                        "it sent a line of more than {bytesMax} bytes", "bytesMax", bytesMax);
            }
            next = in.read();
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** Ends it and its workers by force; the first reason is the reason. */
    void end(String because) {
        if (endedBecause == null) {
            endedBecause = because;
        }
        List<ProcessHandle> below = process.descendants().toList();
        process.destroyForcibly();
        below.forEach(ProcessHandle::destroyForcibly);
    }

    @Override
    public void close() {
        end("it is no longer needed");
        try {
            process.waitFor(END_WAIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        temporary.close();
    }
}
