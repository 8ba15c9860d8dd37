package petrichor.jobs.engine.workers;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobLifecycle;
import petrichor.jobs.engine.StageExecutor;
import petrichor.jobs.engine.exchange.RangeCollection;
import petrichor.jobs.engine.exchange.RangeSample;
import petrichor.jobs.engine.operators.Subtask;
import petrichor.jobs.jobgraph.ExecutionVertex;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/**
 * Runs the stages of a job in worker processes, and combines samples.
 *
 * <p>When a worker dies, all processes are ended, as they are when one hangs, which is killed
 * first; then the current stage restarts in new processes, from the files that earlier stages left
 * in the job's folder (the first stage: from the sources). A failure reported by a worker, too many
 * deaths, or a cancellation ends the stage; no process is left after {@link #close}.
 *
 * <p>State is guarded by the monitor; one message is handled at a time, and messages from processes
 * of an earlier attempt are ignored.
 */
final class WorkersExecutor implements StageExecutor {
    /** A worker that lost a connection may report it before its peer's death is known: wait 1 s. */
    private static final Duration DEATH_KNOWN = Duration.ofSeconds(1);

    private final JobGraph graph;
    private final EngineOptions options;
    private final int attemptsMax;
    private final Duration silentMax;
    private final JobWorkers workers;
    private final JobLifecycle job;
    private final Map<Integer, RangeSample.Collector> samples = new HashMap<>();
    private final Set<WorkerProcess> failed = new HashSet<>();
    private final int stages;

    /** Written under the monitor, but read without it: a watcher may ask for the processes. */
    private volatile @Nullable WorkerGroup group;

    private int stage;
    private int attempt = 1;
    private long spilledBefore;

    /** Completes when the current stage, or the release of the workers, has ended. */
    private CompletableFuture<@Nullable Void> ended = CompletableFuture.completedFuture(null);

    private @Nullable PetrichorException stopped;
    private boolean released;

    /**
     * Whether {@link #stage} is running, or its workers are being gathered; false between stages.
     */
    private boolean running;

    private WorkersExecutor(
            JobGraph graph,
            EngineOptions options,
            WorkerSource source,
            int attemptsMax,
            JobLifecycle job) {
        this.graph = graph;
        this.options = options;
        this.attemptsMax = attemptsMax;
        this.silentMax = source.silentMax();
        this.workers = source.open(graph, options);
        this.job = job;
        this.stages = job.image().stages().size();
        this.stage = job.stagesDone();
    }

    /** Opens the workers of a job and starts to gather them for its first stage. */
    static WorkersExecutor open(
            JobGraph graph,
            EngineOptions options,
            WorkerSource source,
            int attemptsMax,
            JobLifecycle job) {
        WorkersExecutor executor = new WorkersExecutor(graph, options, source, attemptsMax, job);
        if (executor.stage < executor.stages) {
            executor.start(executor.stage);
        }
        return executor;
    }

    @Override
    public void run(int next) throws InterruptedException {
        CompletableFuture<@Nullable Void> end;
        synchronized (this) {
            checkNotStopped();
            if (next > stage) {
                start(next);
            }
            end = ended;
        }
        await(end);
        leaveAfter(next);
    }

    private synchronized void start(int next) {
        stage = next;
        attempt = 1;
        running = true;
        ended = new CompletableFuture<>();
        WorkerGroup with = group;
        if (with == null) {
            gather();
        } else {
            begin(with);
        }
    }

    private void checkNotStopped() {
        if (stopped != null) {
            throw stopped;
        }
    }

    private static void await(CompletableFuture<@Nullable Void> end) throws InterruptedException {
        try {
            end.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known
                    ? known
                    : new IllegalStateException(e.getCause());
        }
    }

    /** Where each stage has processes of its own, leaves those of this one. */
    private synchronized void leaveAfter(int done) {
        WorkerGroup with = group;
        if (workers.byStage() && done + 1 < stages && with != null) {
            leave(with);
        }
    }

    /** The next stage gets other processes; messages from these are ignored. */
    private void leave(WorkerGroup with) {
        spilledBefore += with.spilledBytes();
        samples.clear();
        group = null;
        with.close();
        if (!with.hasEnded()) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, "a process of an earlier stage did not end");
        }
    }

    /** Requests processes for the next stage, which may take a while. */
    private synchronized void gather() {
        try {
            var _ = workers.gather(stage).whenComplete((all, e) -> orEnd(() -> begin(all, e)));
        } catch (PetrichorException e) {
            stop(e);
        }
    }

    /** One of the two is null. */
    private synchronized void begin(
            JobWorkers.@Nullable Gathered gathered, @Nullable Throwable failure) {
        if (gathered == null) {
            ended.completeExceptionally(
                    new Unavailable(
                            job.reason(
                                    failure == null
                                            ? new IllegalStateException("no workers")
                                            : failure)));
            return;
        }
        if (stopped != null) {
            gathered.links().forEach(WorkerLink::close);
            return;
        }
        WorkerGroup fresh = WorkerGroup.of(gathered);
        group = fresh;
        fresh.register(listener(), silentMax);
    }

    private WorkerGroup.Listener listener() {
        return new WorkerGroup.Listener() {
            @Override
            public void said(WorkerGroup from, WorkerProcess worker, WorkerMessage message) {
                orEnd(() -> handle(from, worker, message));
            }

            @Override
            public void gone(WorkerGroup from, WorkerProcess worker) {
                orEnd(() -> lost(from, worker));
            }
        };
    }

    private void orEnd(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            stop(job.reason(e));
        }
    }

    private synchronized void handle(
            WorkerGroup from, WorkerProcess worker, WorkerMessage message) {
        if (from != group || stopped != null) {
            return;
        }
        switch (message) {
            case WorkerMessage.Here(var address) -> {
                if (from.arrived(worker, address)) {
                    assign(from);
                }
            }
            case WorkerMessage.StageDone(var _, var spilled) -> {
                if (from.done(worker, spilled)) {
                    running = false;
                    ended.complete(null);
                }
            }
            case WorkerMessage.Moved(var subtask, var to, var why) ->
                    job.progress().moved(subtask, to, why);
            case WorkerMessage.Measured(var metrics) -> job.progress().measured(metrics);
            case WorkerMessage.Sample(var edge, var records) -> collector(from, edge).take(records);
            case WorkerMessage.Released _ -> {
                if (from.released()) {
                    workers.giveBack(from.leave());
                    ended.complete(null);
                }
            }
            case WorkerMessage.Failed failure -> failed(from, worker, failure);
            case WorkerMessage.Alive _ -> {}
            case WorkerMessage.Hello _,
                    WorkerMessage.Assign _,
                    WorkerMessage.RunStage _,
                    WorkerMessage.Release _,
                    WorkerMessage.Cuts _ ->
                    throw new IllegalStateException("not a message for a coordinator: " + message);
        }
    }

    private void assign(WorkerGroup to) {
        for (WorkerProcess worker : to.workers()) {
            worker.send(
                    new WorkerMessage.Assign(
                            graph,
                            worker.number(),
                            to.addresses(),
                            to.slots(),
                            to.memoryBytes(worker),
                            job.folder().toString(),
                            options.spillBytesMax() / to.workers().size(),
                            options.profiled()));
        }
        job.progress().job(JobState.RUNNING, null);
        begin(to);
    }

    private void begin(WorkerGroup with) {
        job.progress().stage(stage, TaskState.READY);
        with.tell(new WorkerMessage.RunStage(stage));
    }

    private RangeSample.Collector collector(WorkerGroup from, int number) {
        JobEdge edge = graph.edges().get(number);
        return samples.computeIfAbsent(
                number,
                _ ->
                        RangeCollection.of(
                                graph,
                                edge,
                                cuts -> from.tell(new WorkerMessage.Cuts(number, cuts))));
    }

    private void failed(WorkerGroup from, WorkerProcess worker, WorkerMessage.Failed failure) {
        failed.add(worker);
        PetrichorException reason = new PetrichorException(failure.code(), failure.text());
        if (failure.code() == ErrorCode.UNAVAILABLE || failure.code() == ErrorCode.ABORTED) {
            // May be a secondary failure caused by another worker's death; wait for the primary
            // cause.
            Thread.ofVirtual().start(() -> endUnlessExplained(from, reason));
        } else {
            stop(reason);
        }
    }

    private void endUnlessExplained(WorkerGroup from, PetrichorException reason) {
        try {
            Thread.sleep(DEATH_KNOWN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            if (from == group) {
                stop(reason);
            }
        }
    }

    private synchronized void lost(WorkerGroup from, WorkerProcess worker) {
        if (from != group || stopped != null || failed.contains(worker)) {
            return;
        }
        if (stage == stages) {
            // It was to be released, and all of its work is done.
            from.close();
            ended.complete(null);
            return;
        }
        if (!running) {
            leave(from);
            return;
        }
        boolean counts = !worker.isLeaving();
        String how = worker.end();
        String what =
                "worker "
                        + (worker.number() + 1)
                        + " (process "
                        + worker.pid()
                        + ") "
                        + (worker.wasSilent() ? "stopped responding and was killed" : "died")
                        + " while the job ran ("
                        + how
                        + "), in stage "
                        + (stage + 1)
                        + " of "
                        + stages
                        + running(from, worker.number());
        from.close();
        if (!from.hasEnded()) {
            stop(
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "{failure}; a process of the job did not end, so the stage was not"
                                    + " retried",
                            "failure",
                            what));
        } else if (counts && attempt >= attemptsMax) {
            stop(
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "{failure}; the stage was attempted {times}, the maximum",
                            "failure",
                            what,
                            "times",
                            times(attempt)));
        } else {
            attempt += counts ? 1 : 0;
            restart(from, worker.number(), what, counts);
        }
    }

    private void restart(WorkerGroup from, int lost, String why, boolean counts) {
        spilledBefore += from.spilledBytes();
        samples.clear();
        failed.clear();
        job.progress().restart(stage, id -> isIn(from, id, lost), why, counts);
        group = null;
        gather();
    }

    private static String times(int attempts) {
        return attempts == 1 ? "once" : attempts + " times";
    }

    private static boolean isIn(WorkerGroup group, SubtaskId id, int worker) {
        return group.slots().worker(id.vertex(), id.subtask()) == worker;
    }

    /** The tasks that a worker was running, for an error message. */
    private String running(WorkerGroup group, int worker) {
        String tasks =
                job.image().subtasksOf(stage).stream()
                        .filter(each -> isIn(group, each.id(), worker) && !each.state().hasEnded())
                        .filter(each -> each.state() != TaskState.CREATED)
                        .map(this::name)
                        .collect(Collectors.joining(", "));
        return tasks.isEmpty() ? "" : ", with " + tasks;
    }

    private String name(ExecutionVertex subtask) {
        return Subtask.name(graph.vertex(subtask.id().vertex()), subtask.id().subtask());
    }

    @Override
    public synchronized void stop(PetrichorException reason) {
        if (stopped == null) {
            stopped = reason;
            if (group != null) {
                group.close();
            }
            ended.completeExceptionally(reason);
        }
    }

    @Override
    public void close(boolean succeeded) throws InterruptedException {
        if (succeeded && release()) {
            await(ended);
        }
        synchronized (this) {
            if (group != null && !released) {
                group.close();
            }
        }
        workers.close();
    }

    /** Releases processes that can serve another job; returns whether there are any. */
    private synchronized boolean release() {
        checkNotStopped();
        stage = stages;
        if (group == null || !workers.keepsProcesses()) {
            return false;
        }
        ended = new CompletableFuture<>();
        released = true;
        group.tell(new WorkerMessage.Release());
        return true;
    }

    @Override
    public synchronized long spilledBytes() {
        return spilledBefore + (group == null ? 0 : group.spilledBytes());
    }

    /** Process ids of the newest attempt, by number; empty when the job has ended. */
    @Override
    public List<Long> processes() {
        WorkerGroup with = group;
        return with == null ? List.of() : with.workers().stream().map(WorkerProcess::pid).toList();
    }
}
