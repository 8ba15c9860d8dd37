package petrichor.jobs.service;

import java.nio.file.Path;
import java.time.Duration;
import petrichor.base.PetrichorException;

/**
 * Resource limits of a service.
 *
 * @param folder for jars, spilled data and leases of jobs, and the history
 * @param runningMax jobs that run at the same time; the others are queued
 * @param queuedMax jobs in the queue; further ones are refused
 * @param jobMemoryBytes heap of a job's process
 * @param spillBytesMax limit of a job's spilled data at a time, and again of the files between its
 *     stages
 * @param silenceMax a job whose process sends nothing for this long is killed
 * @param cancelWaitMax a cancelled job that does not end within this time is killed
 * @param keptBytesMax limit of the files of jobs that can be resumed; 0 disables resuming
 * @param keptTimeMax how long such a job is kept
 */
public record JobSettings(
        Path folder,
        int runningMax,
        int queuedMax,
        long jobMemoryBytes,
        long spillBytesMax,
        Duration silenceMax,
        Duration cancelWaitMax,
        long keptBytesMax,
        Duration keptTimeMax) {
    private static final long SPILL_BYTES = 64L << 30;
    private static final long KEPT_BYTES = 16L << 30;
    private static final Duration KEPT_TIME = Duration.ofDays(7);

    /** Longer than an engine waits for user code that loops. */
    private static final Duration CANCEL_WAIT = Duration.ofSeconds(12);

    /** A JVM with less cannot even compile a plan. */
    public static final long JOB_MEMORY_BYTES_MIN = 64 << 20;

    public JobSettings {
        if (runningMax < 1 || queuedMax < 1) {
            throw PetrichorException.invalid(
                    "the limits of running and queued jobs must be positive");
        }
        if (spillBytesMax < 0) {
            throw PetrichorException.invalid(
                    "a job cannot spill {spillBytesMax} bytes", "spillBytesMax", spillBytesMax);
        }
        if (jobMemoryBytes < JOB_MEMORY_BYTES_MIN) {
            throw PetrichorException.invalid(
                    "a job needs at least {mebibytesMin} MiB of memory, not {jobMemoryBytes} bytes",
                    "mebibytesMin",
                    (JOB_MEMORY_BYTES_MIN >> 20),
                    "jobMemoryBytes",
                    jobMemoryBytes);
        }
    }

    /**
     * Folder of the machines that a job leases, and of the note that identifies them after a crash.
     */
    Path leases(String job) {
        return leases().resolve(job);
    }

    /** Contains a folder for each job that leases machines, or did when the service was killed. */
    Path leases() {
        return folder.resolve("leased").toAbsolutePath().normalize();
    }

    /** Contains a folder for each job that can be resumed, and for those that run and will be. */
    Path kept() {
        return folder.resolve("kept").toAbsolutePath().normalize();
    }

    public static JobSettings in(Path folder) {
        return new JobSettings(
                folder,
                2,
                100,
                512 << 20,
                SPILL_BYTES,
                Duration.ofSeconds(30),
                CANCEL_WAIT,
                KEPT_BYTES,
                KEPT_TIME);
    }

    public JobSettings withRunningMax(int jobs) {
        return new JobSettings(
                folder,
                jobs,
                queuedMax,
                jobMemoryBytes,
                spillBytesMax,
                silenceMax,
                cancelWaitMax,
                keptBytesMax,
                keptTimeMax);
    }

    public JobSettings withQueuedMax(int jobs) {
        return new JobSettings(
                folder,
                runningMax,
                jobs,
                jobMemoryBytes,
                spillBytesMax,
                silenceMax,
                cancelWaitMax,
                keptBytesMax,
                keptTimeMax);
    }

    public JobSettings withJobMemoryBytes(long bytes) {
        return new JobSettings(
                folder,
                runningMax,
                queuedMax,
                bytes,
                spillBytesMax,
                silenceMax,
                cancelWaitMax,
                keptBytesMax,
                keptTimeMax);
    }

    public JobSettings withSpillBytesMax(long bytes) {
        return new JobSettings(
                folder,
                runningMax,
                queuedMax,
                jobMemoryBytes,
                bytes,
                silenceMax,
                cancelWaitMax,
                keptBytesMax,
                keptTimeMax);
    }

    public JobSettings withSilenceMax(Duration longest) {
        return new JobSettings(
                folder,
                runningMax,
                queuedMax,
                jobMemoryBytes,
                spillBytesMax,
                longest,
                cancelWaitMax,
                keptBytesMax,
                keptTimeMax);
    }

    public JobSettings withCancelWaitMax(Duration longest) {
        return new JobSettings(
                folder,
                runningMax,
                queuedMax,
                jobMemoryBytes,
                spillBytesMax,
                silenceMax,
                longest,
                keptBytesMax,
                keptTimeMax);
    }

    public JobSettings withKept(long bytesMax, Duration timeMax) {
        return new JobSettings(
                folder,
                runningMax,
                queuedMax,
                jobMemoryBytes,
                spillBytesMax,
                silenceMax,
                cancelWaitMax,
                bytesMax,
                timeMax);
    }

    /** For a folder that is deleted with the service. */
    public JobSettings keepingNothing() {
        return withKept(0, Duration.ZERO);
    }
}
