package petrichor.jobs.flink;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.util.OptionalFailure;
import org.apache.flink.util.SerializedValue;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.StageRuntime;
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;

/** A stage that Flink runs, followed. One thread waits; any may cancel. */
final class StageOnFlink implements StageRuntime.Running {
    private static final Duration NEWS_EVERY = Duration.ofMillis(200);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(20);

    private final ClusterClient<?> client;
    private final JobID job;
    private final StageRuntime.Watch watch;
    private final ClassLoader classes;
    private int attempts = 1;
    private volatile long spilledBytes;

    StageOnFlink(ClusterClient<?> client, JobID job, StageRuntime.Watch watch) {
        this.client = client;
        this.job = job;
        this.watch = watch;
        this.classes = StageOnFlink.class.getClassLoader();
    }

    @Override
    public void await() throws InterruptedException {
        try {
            CompletableFuture<JobResult> result = client.requestJobResult(job);
            while (!ended(result)) {
                follow();
            }
            end(result.get());
        } catch (ExecutionException e) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "Flink does not say how the job ended: " + reason(e),
                    java.util.Map.of(),
                    e);
        }
    }

    private static boolean ended(CompletableFuture<JobResult> result)
            throws InterruptedException, ExecutionException {
        try {
            result.get(NEWS_EVERY.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** What cannot be heard now is heard the next time, or at the end. */
    private void follow() throws InterruptedException {
        try {
            if (client.sendCoordinationRequest(job, StageCoordinator.NAME, new StageMessage.Ask())
                            .get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
                    instanceof StageMessage.News news) {
                if (news.attempts() > attempts) {
                    attempts = news.attempts();
                    watch.restarted("Flink began the stage again: a part of it was lost");
                }
                news.moves().forEach(move -> watch.moved(move.subtask(), move.to(), move.why()));
                watch.measured(news.figures());
            }
        } catch (ExecutionException | TimeoutException e) {
            // It has not begun yet, or has just ended.
        }
    }

    private void end(JobResult result) {
        Optional<org.apache.flink.util.SerializedThrowable> failure =
                result.getSerializedThrowable();
        if (failure.isPresent()) {
            throw told(failure.get().deserializeError(classes));
        }
        if (!result.isSuccess()) {
            throw new PetrichorException(ErrorCode.ABORTED, "the job was cancelled on Flink");
        }
        TreeMap<SubtaskId, SubtaskFigures> figures = new TreeMap<>();
        long spilled = 0;
        for (StageMessage.Left left : left(result)) {
            figures.putAll(left.figures());
            spilled += left.spilledBytes();
        }
        spilledBytes = spilled;
        watch.measured(figures);
    }

    @SuppressWarnings("unchecked") // only our tasks write there
    private List<StageMessage.Left> left(JobResult result) {
        SerializedValue<OptionalFailure<Object>> value =
                result.getAccumulatorResults().get(StageTask.LEFT);
        if (value == null) {
            return List.of();
        }
        try {
            return (List<StageMessage.Left>) value.deserializeValue(classes).get();
        } catch (IOException
                | ClassNotFoundException
                | org.apache.flink.util.FlinkException
                | RuntimeException e) {
            throw new PetrichorException(
                    ErrorCode.INTERNAL, "what the tasks have left cannot be read: " + e);
        }
    }

    /** Our own word, if a task of ours had one; else Flink's. */
    private static PetrichorException told(Throwable failure) {
        return TaskFailure.in(failure)
                .orElseGet(
                        () ->
                                new PetrichorException(
                                        isShortage(failure)
                                                ? ErrorCode.RESOURCE_EXHAUSTED
                                                : ErrorCode.UNAVAILABLE,
                                        isShortage(failure)
                                                ? "Flink has too few free slots for the job; give"
                                                        + " it more task managers, or the job a"
                                                        + " lower parallelism"
                                                : "the job failed on Flink: " + reason(failure),
                                        java.util.Map.of(),
                                        failure));
    }

    private static boolean isShortage(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof NoResourceAvailableException
                    || at.toString().contains(NoResourceAvailableException.class.getName())) {
                return true;
            }
        }
        return false;
    }

    private static String reason(Throwable failure) {
        Throwable at = failure;
        while (at.getCause() != null) {
            at = at.getCause();
        }
        return String.valueOf(at.getMessage());
    }

    @Override
    public void cancel() {
        // Whether it arrives shows when the job ends.
        var _ = client.cancel(job);
    }

    @Override
    public long spilledBytes() {
        return spilledBytes;
    }
}
