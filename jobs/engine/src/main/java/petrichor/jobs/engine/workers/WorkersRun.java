package petrichor.jobs.engine.workers;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobLifecycle;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.engine.JobRun;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.engine.exchange.RangeCollection;
import petrichor.jobs.engine.exchange.RangeSample;
import petrichor.jobs.engine.operators.Subtask;
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
 * <p>A worker's death ends all processes, and so does one that hangs, which is killed before
 * anything else is done; then the stage that ran begins again in new ones, from the files that
 * earlier stages left in the job's folder (the first stage: from the sources). A failure that a
 * worker tells, too many deaths, or a cancellation ends the job; only when no process is left are
 * the sinks aborted and the folder removed.
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
    private final Duration silentMax;
    private final JobWorkers workers;
    private final JobLifecycle frame;
    private final Map<Integer, RangeSample.Collector> samples = new HashMap<>();
    private final Set<WorkerProcess> failed = new HashSet<>();
    private final int stages;
    private @Nullable WorkerGroup crew;
    private int stage;
    private int attempt = 1;
    private long spilledBefore;

    private WorkersRun(
            JobGraph graph,
            EngineOptions options,
            int attemptsMax,
            Duration silentMax,
            JobWorkers workers,
            JobLifecycle frame) {
        this.graph = graph;
        this.options = options;
        this.attemptsMax = attemptsMax;
        this.silentMax = silentMax;
        this.workers = workers;
        this.frame = frame;
        this.stages = frame.image().stages().size();
        this.stage = frame.stagesDone();
    }

    static WorkersRun start(
            JobGraph graph,
            EngineOptions options,
            WorkerSource source,
            int attemptsMax,
            @Nullable ResumePoint point,
            JobWatcher watcher) {
        JobLifecycle frame = JobLifecycle.begin(graph, options, point, watcher);
        JobWorkers workers;
        try {
            workers = source.open(graph, options);
        } catch (RuntimeException e) {
            if (frame.stagesDone() > 0) {
                frame.stop(frame.reason(e));
            } else {
                frame.fail(frame.reason(e));
            }
            throw e;
        }
        WorkersRun run =
                new WorkersRun(graph, options, attemptsMax, source.silentMax(), workers, frame);
        run.resume();
        return run;
    }

    private synchronized void resume() {
        if (stage < stages) {
            gather();
        } else {
            // It was killed after its last stage.
            workers.close();
            frame.finish(0);
        }
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
            stop(frame.reason(failure == null ? new IllegalStateException("no workers") : failure));
            return;
        }
        if (frame.hasEnded()) {
            gathered.links().forEach(WorkerLink::close);
            return;
        }
        WorkerGroup fresh = WorkerGroup.of(gathered);
        crew = fresh;
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
        } catch (PetrichorException e) {
            end(e);
        } catch (RuntimeException e) {
            end(frame.reason(e));
        }
    }

    private synchronized void handle(
            WorkerGroup from, WorkerProcess worker, WorkerMessage message) {
        if (from != crew || frame.hasEnded()) {
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
                    frame.progress().moved(subtask, to, why);
            case WorkerMessage.Measured(var figures) -> frame.progress().measured(figures);
            case WorkerMessage.Sample(var edge, var records) -> collector(from, edge).take(records);
            case WorkerMessage.Released _ -> {
                if (from.released()) {
                    workers.giveBack(from.leave());
                    finish(from);
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
                            frame.folder().toString(),
                            options.spillBytesMax() / to.workers().size(),
                            options.profiled()));
        }
        frame.progress().job(JobState.RUNNING, null);
        begin(to);
    }

    private void begin(WorkerGroup with) {
        frame.progress().stage(stage, TaskState.READY);
        with.tell(new WorkerMessage.RunStage(stage));
    }

    private void next(WorkerGroup with) {
        attempt = 1;
        frame.reached(++stage);
        if (stage == stages) {
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
    private void leave(WorkerGroup done) {
        crew = null;
        done.close();
        if (!done.hasEnded()) {
            throw died("a process of an earlier stage did not end");
        }
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
            // Perhaps another one has died; then that is the reason, and no failure.
            Thread.ofVirtual().start(() -> endUnlessExplained(from, reason));
        } else {
            end(reason);
        }
    }

    private void endUnlessExplained(WorkerGroup from, PetrichorException reason) {
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

    private synchronized void lost(WorkerGroup from, WorkerProcess worker) {
        if (from != crew || frame.hasEnded() || failed.contains(worker)) {
            return;
        }
        if (stage == stages) {
            // It was to be released, and all of its work is done.
            from.close();
            finish(from);
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
            end(died(what + "; a process of the job did not end, so the stage was not retried"));
        } else if (counts && attempt >= attemptsMax) {
            end(
                    died(
                            what
                                    + "; the stage was attempted "
                                    + times(attempt)
                                    + ", which is the limit"));
        } else {
            attempt += counts ? 1 : 0;
            restart(from, worker.number(), what, counts);
        }
    }

    private void restart(WorkerGroup from, int lost, String why, boolean counts) {
        spilledBefore += from.spilledBytes();
        samples.clear();
        failed.clear();
        frame.progress().restart(stage, id -> isIn(from, id, lost), why, counts);
        crew = null;
        gather();
    }

    private static PetrichorException died(String text) {
        return new PetrichorException(ErrorCode.UNAVAILABLE, text);
    }

    private static String times(int attempts) {
        return attempts == 1 ? "once" : attempts + " times";
    }

    private static boolean isIn(WorkerGroup crew, SubtaskId id, int worker) {
        return crew.slots().worker(id.vertex(), id.subtask()) == worker;
    }

    /** What a worker was doing, for a failure's text. */
    private String running(WorkerGroup crew, int worker) {
        String tasks =
                frame.image().subtasksOf(stage).stream()
                        .filter(each -> isIn(crew, each.id(), worker) && !each.state().hasEnded())
                        .filter(each -> each.state() != TaskState.CREATED)
                        .map(this::name)
                        .collect(Collectors.joining(", "));
        return tasks.isEmpty() ? "" : ", with " + tasks;
    }

    private String name(ExecutionVertex subtask) {
        return Subtask.name(graph.vertex(subtask.id().vertex()), subtask.id().subtask());
    }

    private void succeed(WorkerGroup with) {
        if (workers.keepsProcesses()) {
            with.tell(new WorkerMessage.Release());
        } else {
            with.close();
            finish(with);
        }
    }

    private void finish(WorkerGroup with) {
        workers.close();
        frame.finish(spilledBefore + with.spilledBytes());
    }

    /** There are no processes for it. */
    private void stop(PetrichorException reason) {
        if (!frame.hasEnded()) {
            frame.failing(reason);
            workers.close();
            frame.stop(reason);
        }
    }

    private synchronized void end(PetrichorException reason) {
        if (!frame.hasEnded()) {
            frame.failing(reason);
            if (crew != null) {
                crew.close();
            }
            workers.close();
            frame.fail(reason);
        }
    }

    /** Ends all processes of the job. */
    @Override
    public void cancel() {
        end(frame.cancellation());
    }

    @Override
    public ExecutionGraph image() {
        return frame.image();
    }

    @Override
    public JobResult await() {
        return frame.await();
    }

    /** The processes of the newest attempt, by number; none of the job's when it has ended. */
    @Override
    public synchronized List<Long> processes() {
        return crew == null ? List.of() : crew.workers().stream().map(WorkerProcess::pid).toList();
    }
}
