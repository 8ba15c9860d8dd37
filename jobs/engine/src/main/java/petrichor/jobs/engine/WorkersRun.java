package petrichor.jobs.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.SpillFolder;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.ExecutionVertex;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/**
 * A job in worker processes: tells them what to do, stage by stage, and puts samples together.
 *
 * <p>A worker's death ends all processes; then the stage that ran begins again in new ones, from
 * the files that earlier stages left in the job's folder (the first stage: from the sources). A
 * failure that a worker tells, too many deaths, or a cancellation ends the job; only when no
 * process is left are the sinks aborted and the folder removed.
 *
 * <p>State belongs to whoever holds the monitor; no message is handled beside another one, and none
 * of a process that belongs to an earlier attempt.
 */
public final class WorkersRun implements JobRun {
    /** A worker that lost a connection tells so before its peer's death is known: 1 s. */
    private static final Duration DEATH_KNOWN = Duration.ofSeconds(1);

    private final JobGraph graph;
    private final EngineOptions options;
    private final int attemptsMax;
    private final JobWorkers workers;
    private final Sinks sinks;
    private final JobProgress progress;
    private final PetrichorException cancellation;
    private final SpillFolder folder;
    private final Map<Integer, RangeSample.Collector> samples = new HashMap<>();
    private final Set<WorkerProcess> failed = new HashSet<>();
    private final CompletableFuture<JobResult> result = new CompletableFuture<>();
    private final int stages;
    private final long startedNanos = System.nanoTime();
    private @Nullable WorkerCrew crew;
    private int stage;
    private int attempt = 1;
    private long spilledBefore;

    private WorkersRun(
            JobGraph graph,
            EngineOptions options,
            WorkerSource source,
            int attemptsMax,
            JobWatcher watcher) {
        this.graph = graph;
        this.options = options;
        this.attemptsMax = attemptsMax;
        this.sinks = new Sinks(graph);
        this.progress = new JobProgress(graph, watcher);
        this.cancellation =
                new PetrichorException(
                        ErrorCode.ABORTED, "the job \"" + graph.name() + "\" was cancelled");
        this.stages = ExecutionGraph.of(graph).stages().size();
        this.folder =
                SpillFolder.open(
                        options.spillFolder(),
                        options.spillBytesMax(),
                        new BlockPool(1),
                        TimeSource.SYSTEM);
        try {
            this.workers = source.open(graph, options);
        } catch (RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    static WorkersRun start(
            JobGraph graph,
            EngineOptions options,
            WorkerSource source,
            int attemptsMax,
            JobWatcher watcher) {
        WorkerMessage.requireSendable(graph);
        WorkersRun run = new WorkersRun(graph, options, source, attemptsMax, watcher);
        try {
            run.sinks.begin();
        } catch (RuntimeException e) {
            run.workers.close();
            run.folder.close();
            throw e;
        }
        run.progress.begin();
        run.progress.job(JobState.SCHEDULED, null);
        run.gather();
        return run;
    }

    /** New processes, for the stage that is next; there may be none for a while. */
    private synchronized void gather() {
        try {
            var _ = workers.gather(stage).whenComplete((all, e) -> orEnd(() -> begin(all, e)));
        } catch (PetrichorException e) {
            end(e);
        }
    }

    /** One of the two is null. */
    private synchronized void begin(
            JobWorkers.@Nullable Gathered gathered, @Nullable Throwable failure) {
        if (gathered == null) {
            throw failure instanceof PetrichorException known
                    ? known
                    : new PetrichorException(ErrorCode.INTERNAL, "no workers: " + failure);
        }
        if (result.isDone()) {
            gathered.links().forEach(WorkerLink::close);
            return;
        }
        WorkerCrew fresh = WorkerCrew.of(gathered);
        crew = fresh;
        fresh.greet(listener());
    }

    private WorkerCrew.Listener listener() {
        return new WorkerCrew.Listener() {
            @Override
            public void said(WorkerCrew from, WorkerProcess worker, WorkerMessage message) {
                orEnd(() -> handle(from, worker, message));
            }

            @Override
            public void gone(WorkerCrew from, WorkerProcess worker) {
                orEnd(() -> lost(from, worker));
            }
        };
    }

    private void orEnd(Runnable step) {
        try {
            step.run();
        } catch (PetrichorException e) {
            end(e);
        } catch (RuntimeException e) {
            end(new PetrichorException(ErrorCode.INTERNAL, "the job failed: " + e));
        }
    }

    private synchronized void handle(WorkerCrew from, WorkerProcess worker, WorkerMessage message) {
        if (from != crew || result.isDone()) {
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
                    next(from);
                }
            }
            case WorkerMessage.Moved(var subtask, var to, var why) ->
                    progress.moved(subtask, to, why);
            case WorkerMessage.Measured(var figures) -> progress.measured(figures);
            case WorkerMessage.Sample(var edge, var records) -> collector(from, edge).take(records);
            case WorkerMessage.Failed failure -> failed(from, worker, failure);
            case WorkerMessage.Hello _,
                    WorkerMessage.Assign _,
                    WorkerMessage.RunStage _,
                    WorkerMessage.Cuts _ ->
                    throw new IllegalStateException("not for a coordinator: " + message);
        }
    }

    private void assign(WorkerCrew to) {
        for (WorkerProcess worker : to.workers()) {
            worker.send(
                    new WorkerMessage.Assign(
                            graph,
                            worker.number(),
                            to.addresses(),
                            to.seats(),
                            to.memoryBytes(worker),
                            folder.path().toString(),
                            options.spillBytesMax(),
                            options.profiled()));
        }
        progress.job(JobState.RUNNING, null);
        begin(to);
    }

    private void begin(WorkerCrew with) {
        progress.stage(stage, TaskState.READY);
        with.tell(new WorkerMessage.RunStage(stage));
    }

    private void next(WorkerCrew with) {
        attempt = 1;
        if (++stage == stages) {
            succeed(with);
        } else if (workers.byStage()) {
            spilledBefore += with.spilledBytes();
            leave(with);
            gather();
        } else {
            begin(with);
        }
    }

    /** Nothing of these processes is heard any more, not even their end. */
    private void leave(WorkerCrew done) {
        crew = null;
        done.close();
        if (!done.hasEnded()) {
            throw died("a process of an earlier stage does not end");
        }
    }

    private RangeSample.Collector collector(WorkerCrew from, int number) {
        JobEdge edge = graph.edges().get(number);
        return samples.computeIfAbsent(
                number,
                _ ->
                        JobAssembly.collection(
                                graph,
                                edge,
                                cuts -> from.tell(new WorkerMessage.Cuts(number, cuts))));
    }

    private void failed(WorkerCrew from, WorkerProcess worker, WorkerMessage.Failed failure) {
        failed.add(worker);
        PetrichorException reason = new PetrichorException(failure.code(), failure.text());
        if (failure.code() == ErrorCode.UNAVAILABLE || failure.code() == ErrorCode.ABORTED) {
            // Perhaps another one has died; then that is the reason, and no failure.
            Thread.ofVirtual().start(() -> endUnlessExplained(from, reason));
        } else {
            end(reason);
        }
    }

    private void endUnlessExplained(WorkerCrew from, PetrichorException reason) {
        try {
            Thread.sleep(DEATH_KNOWN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            if (from == crew) {
                end(reason);
            }
        }
    }

    private synchronized void lost(WorkerCrew from, WorkerProcess worker) {
        if (from != crew || result.isDone() || failed.contains(worker)) {
            return;
        }
        String how = worker.end();
        String what =
                "worker "
                        + (worker.number() + 1)
                        + " (process "
                        + worker.pid()
                        + ") died while the job ran ("
                        + how
                        + "), in stage "
                        + (stage + 1)
                        + " of "
                        + stages
                        + running(from, worker.number());
        from.close();
        if (!from.hasEnded()) {
            end(died(what + "; a process of the job does not end, so it was not tried again"));
        } else if (attempt >= attemptsMax) {
            end(died(what + "; the stage was tried " + times(attempt) + ", which is the limit"));
        } else {
            restart(from, worker.number(), what);
        }
    }

    private void restart(WorkerCrew from, int lost, String why) {
        attempt++;
        spilledBefore += from.spilledBytes();
        samples.clear();
        failed.clear();
        progress.restart(stage, id -> isIn(from, id, lost), why);
        crew = null;
        gather();
    }

    private static PetrichorException died(String text) {
        return new PetrichorException(ErrorCode.UNAVAILABLE, text);
    }

    private static String times(int attempts) {
        return attempts == 1 ? "once" : attempts + " times";
    }

    private static boolean isIn(WorkerCrew crew, SubtaskId id, int worker) {
        return crew.seats().worker(id.vertex(), id.subtask()) == worker;
    }

    /** What a worker was doing, for a failure's text. */
    private String running(WorkerCrew crew, int worker) {
        String tasks =
                progress.image().subtasksOf(stage).stream()
                        .filter(each -> isIn(crew, each.id(), worker) && !each.state().hasEnded())
                        .filter(each -> each.state() != TaskState.CREATED)
                        .map(this::name)
                        .collect(Collectors.joining(", "));
        return tasks.isEmpty() ? "" : ", with " + tasks;
    }

    private String name(ExecutionVertex subtask) {
        return Subtask.name(graph.vertex(subtask.id().vertex()), subtask.id().subtask());
    }

    private void succeed(WorkerCrew with) {
        with.close();
        workers.close();
        try {
            sinks.commit();
        } catch (RuntimeException e) {
            sinks.abort();
            folder.close();
            progress.ended(JobState.FAILED, e.getMessage());
            result.completeExceptionally(e);
            return;
        }
        folder.close();
        progress.ended(JobState.FINISHED, null);
        result.complete(
                new JobResult(
                        Duration.ofNanos(System.nanoTime() - startedNanos),
                        Map.of(),
                        spilledBefore + with.spilledBytes()));
    }

    private synchronized void end(PetrichorException reason) {
        if (!result.isDone()) {
            boolean bad = reason != cancellation;
            progress.job(bad ? JobState.FAILING : JobState.CANCELING, reason.getMessage());
            if (crew != null) {
                crew.close();
            }
            workers.close();
            sinks.abort();
            folder.close();
            progress.ended(bad ? JobState.FAILED : JobState.CANCELED, reason.getMessage());
            result.completeExceptionally(reason);
        }
    }

    /** Ends all processes of the job. */
    @Override
    public void cancel() {
        end(cancellation);
    }

    @Override
    public ExecutionGraph image() {
        return progress.image();
    }

    @Override
    public JobResult await() {
        try {
            return result.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PetrichorException known
                    ? known
                    : new PetrichorException(ErrorCode.INTERNAL, "the job failed: " + e.getCause());
        }
    }

    /** The processes of the newest attempt, by number; none of the job's when it has ended. */
    public synchronized List<Long> processes() {
        return crew == null ? List.of() : crew.workers().stream().map(WorkerProcess::pid).toList();
    }
}
