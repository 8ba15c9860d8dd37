package petrichor.jobs.flink;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.runtime.jobmanager.scheduler.NoResourceAvailableException;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import org.apache.flink.runtime.rest.messages.JobExceptionsHeaders;
import org.apache.flink.runtime.rest.messages.JobExceptionsInfoWithHistory;
import org.apache.flink.runtime.rest.messages.job.JobExceptionsMessageParameters;
import org.apache.flink.util.OptionalFailure;
import org.apache.flink.util.SerializedValue;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;

/** Follows a stage that runs on Flink. One thread waits; any thread may cancel. */
final class StageOnFlink implements StageRuntime.Running {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
    private static final Duration SILENCE_MAX = Duration.ofSeconds(30);
    private static final Duration SAY_EVERY = Duration.ofSeconds(5);

    /**
     * Flink cancels a job whose client has been gone for this long, since its sinks could not be
     * committed.
     */
    static final Duration CLIENT_SILENCE_MAX = Duration.ofMinutes(1);

    private static final Duration ANSWER_MAX = Duration.ofSeconds(20);

    private final ClusterClient<?> client;
    private final JobID job;
    private final StageRuntime.Watch watch;
    private final ClassLoader classes;
    private int attempts = 1;
    private long saidNanos = System.nanoTime();
    private String missing = "";
    private volatile boolean cancelled;
    private volatile long spilledBytes;

    StageOnFlink(ClusterClient<?> client, JobID job, StageRuntime.Watch watch) {
        this.client = client;
        this.job = job;
        this.watch = watch;
        this.classes = StageOnFlink.class.getClassLoader();
    }

    @Override
    public void await() throws InterruptedException {
        JobStatus status = status();
        while (!status.isGloballyTerminalState()) {
            if (status == JobStatus.RUNNING) {
                follow();
            }
            live();
            Thread.sleep(POLL_INTERVAL);
            status = status();
        }
        switch (status) {
            case FINISHED -> leave();
            case CANCELED ->
                    throw PetrichorException.of(
                            ErrorCode.ABORTED, "the job was cancelled on Flink");
            case FAILED -> throw failure();
            case INITIALIZING,
                    CREATED,
                    RUNNING,
                    FAILING,
                    CANCELLING,
                    RESTARTING,
                    SUSPENDED,
                    RECONCILING ->
                    throw new IllegalStateException("unexpected job status: " + status);
        }
    }

    /** Sends a client heartbeat, or repeats the request to cancel. */
    private void live() {
        long now = System.nanoTime();
        if (now - saidNanos > SAY_EVERY.toNanos()) {
            saidNanos = now;
            if (cancelled) {
                cancel();
            } else {
                var _ =
                        client.reportHeartbeat(
                                job, System.currentTimeMillis() + CLIENT_SILENCE_MAX.toMillis());
            }
        }
    }

    /** UNAVAILABLE if Flink does not answer for a long time. */
    private JobStatus status() throws InterruptedException {
        long until = System.nanoTime() + SILENCE_MAX.toNanos();
        while (true) {
            try {
                return client.getJobStatus(job).get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException | TimeoutException e) {
                if (System.nanoTime() > until) {
                    throw PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            e,
                            "cannot ask Flink for the status of the job: {reason}",
                            "reason",
                            reason(e));
                }
                Thread.sleep(POLL_INTERVAL);
            }
        }
    }

    /** Polls the coordinator; failures are retried on the next poll. */
    private void follow() throws InterruptedException {
        try {
            if (client.sendCoordinationRequest(job, StageCoordinator.NAME, new StageMessage.Ask())
                            .get(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
                    instanceof StageMessage.News news) {
                if (news.attempts() > attempts) {
                    attempts = news.attempts();
                    watch.restarted("Flink restarted the stage: a part of it was lost");
                }
                news.moves().forEach(move -> watch.moved(move.subtask(), move.to(), move.why()));
                watch.measured(news.metrics());
                // The last known reason: when the job fails because of it, no request is waiting
                // any more.
                missing = news.missing().isEmpty() ? missing : news.missing();
            }
        } catch (ExecutionException | TimeoutException e) {
            // The job has not started yet, or has just ended.
        }
    }

    /** Collects the results that the tasks left at their end. */
    private void leave() throws InterruptedException {
        TreeMap<SubtaskId, SubtaskMetrics> metrics = new TreeMap<>();
        long spilled = 0;
        for (StageMessage.Left left : left(result())) {
            metrics.putAll(left.metrics());
            spilled += left.spilledBytes();
        }
        spilledBytes = spilled;
        watch.measured(metrics);
    }

    private JobResult result() throws InterruptedException {
        try {
            return client.requestJobResult(job).get();
        } catch (ExecutionException e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "cannot ask Flink for the results of the job: {reason}",
                    "reason",
                    reason(e));
        }
    }

    private PetrichorException failure() throws InterruptedException {
        return switch (client) {
            case RestClusterClient<?> remote -> told(history(remote));
            case ClusterClient<?> _ ->
                    result().getSerializedThrowable()
                            .map(failure -> told(failure.getFullStringifiedStackTrace()))
                            .orElseGet(() -> told(""));
        };
    }

    /**
     * The failures of the job as text. The client would deserialize a failure's object with the
     * class loader of the program, which does not know Flink.
     */
    private String history(RestClusterClient<?> remote) throws InterruptedException {
        JobExceptionsHeaders headers = JobExceptionsHeaders.getInstance();
        JobExceptionsMessageParameters parameters = headers.getUnresolvedMessageParameters();
        parameters.jobPathParameter.resolve(job);
        try {
            return remote
                    .sendRequest(headers, parameters, EmptyRequestBody.getInstance())
                    .get()
                    .getExceptionHistory()
                    .getEntries()
                    .stream()
                    .map(JobExceptionsInfoWithHistory.RootExceptionInfo::getStacktrace)
                    .collect(Collectors.joining("\n"));
        } catch (ExecutionException e) {
            return "";
        }
    }

    @SuppressWarnings("unchecked") // only Petrichor's tasks write it
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
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "cannot read the output of the tasks: {reason}",
                    "reason",
                    e);
        }
    }

    /** The failure that one of Petrichor's tasks reported, if any; else Flink's. */
    private PetrichorException told(String stackTrace) {
        if (stackTrace.contains(NoResourceAvailableException.class.getName())) {
            return PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "Flink has too few free slots for the job; give it more machines, or the job a"
                            + " lower parallelism{missing}",
                    "missing",
                    (missing.isEmpty() ? "" : "; it cannot lease more machines: " + missing));
        }
        return TaskFailure.in(stackTrace)
                .orElseGet(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.UNAVAILABLE,
                                        "the job failed on Flink: {cause}",
                                        "cause",
                                        innermost(stackTrace)));
    }

    private static String innermost(String stackTrace) {
        return stackTrace
                .lines()
                .filter(line -> line.startsWith("Caused by: "))
                .reduce((_, last) -> last)
                .map(line -> line.substring("Caused by: ".length()))
                .or(() -> stackTrace.lines().findFirst())
                .orElse("it gave no reason");
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
        cancelled = true;
        // Its success shows when the job ends; until then the request is repeated.
        var _ = client.cancel(job);
    }

    @Override
    public long spilledBytes() {
        return spilledBytes;
    }
}
