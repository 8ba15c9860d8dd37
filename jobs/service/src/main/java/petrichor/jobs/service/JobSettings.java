package petrichor.jobs.service;

import java.nio.file.Path;
import java.time.Duration;
import petrichor.base.PetrichorException;

/**
 * What a service may take.
 *
 * @param folder for jars, what jobs spill and lease, and the history
 * @param runningMax jobs that run at the same time; the others wait
 * @param queuedMax jobs that wait; one more is refused
 * @param jobMemoryBytes heap of a job's process
 * @param silenceMax a job whose process says nothing for so long is ended
 * @param cancelWaitMax a job that was cancelled and does not end within this time is ended
 */
public record JobSettings(
        Path folder,
        int runningMax,
        int queuedMax,
        long jobMemoryBytes,
        Duration silenceMax,
        Duration cancelWaitMax) {
    /** Longer than an engine waits for user code that loops. */
    private static final Duration CANCEL_WAIT = Duration.ofSeconds(12);

    /** A JVM with less cannot even compile a plan. */
    public static final long JOB_MEMORY_BYTES_MIN = 64 << 20;

    public JobSettings {
        if (runningMax < 1 || queuedMax < 1) {
            throw PetrichorException.invalid("at least one job must be able to run, and to wait");
        }
        if (jobMemoryBytes < JOB_MEMORY_BYTES_MIN) {
            throw PetrichorException.invalid(
                    "a job needs at least "
                            + (JOB_MEMORY_BYTES_MIN >> 20)
                            + " MiB of memory, not "
                            + jobMemoryBytes
                            + " bytes");
        }
    }

    /** Of the machines that a job leases, and of what tells after a crash that it has some. */
    Path leases(String job) {
        return leases().resolve(job);
    }

    /** Has a folder for each job that leases machines, or did when the service was killed. */
    Path leases() {
        return folder.resolve("leased").toAbsolutePath().normalize();
    }

    public static JobSettings in(Path folder) {
        return new JobSettings(folder, 2, 100, 512 << 20, Duration.ofSeconds(30), CANCEL_WAIT);
    }

    public JobSettings withRunningMax(int jobs) {
        return new JobSettings(folder, jobs, queuedMax, jobMemoryBytes, silenceMax, cancelWaitMax);
    }

    public JobSettings withQueuedMax(int jobs) {
        return new JobSettings(folder, runningMax, jobs, jobMemoryBytes, silenceMax, cancelWaitMax);
    }

    public JobSettings withJobMemoryBytes(long bytes) {
        return new JobSettings(folder, runningMax, queuedMax, bytes, silenceMax, cancelWaitMax);
    }

    public JobSettings withSilenceMax(Duration longest) {
        return new JobSettings(
                folder, runningMax, queuedMax, jobMemoryBytes, longest, cancelWaitMax);
    }

    public JobSettings withCancelWaitMax(Duration longest) {
        return new JobSettings(folder, runningMax, queuedMax, jobMemoryBytes, silenceMax, longest);
    }
}
