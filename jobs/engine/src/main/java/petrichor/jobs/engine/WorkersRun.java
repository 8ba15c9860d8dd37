package petrichor.jobs.engine;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.ChannelToken;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.TaskState;

/**
 * A job in worker processes: tells them what to do, stage by stage, and puts samples together. The
 * first failure, a worker's death or a cancellation ends all processes; only then are the sinks
 * aborted. State belongs to whoever holds the monitor; no message is handled beside another one.
 */
public final class WorkersRun {
    private final JobGraph graph;
    private final EngineOptions options;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final Sinks sinks;
    private final JobProgress progress;
    private final PetrichorException cancellation;
    private final InetSocketAddress[] addresses;
    private final Map<Integer, RangeSample.Collector> samples = new HashMap<>();
    private final CompletableFuture<JobResult> result = new CompletableFuture<>();
    private final int stages;
    private final long startedNanos = System.nanoTime();
    private int here;
    private int stage;
    private int done;
    private long spilledBytes;

    private WorkersRun(JobGraph graph, EngineOptions options, int count, JobWatcher watcher) {
        this.graph = graph;
        this.options = options;
        this.sinks = new Sinks(graph);
        this.progress = new JobProgress(graph, watcher);
        this.cancellation =
                new PetrichorException(
                        ErrorCode.ABORTED, "the job \"" + graph.name() + "\" was cancelled");
        this.addresses = new InetSocketAddress[count];
        this.stages = ExecutionGraph.of(graph).stages().size();
    }

    static WorkersRun start(
            JobGraph graph,
            EngineOptions options,
            int count,
            List<String> jvmArguments,
            JobWatcher watcher)
            throws IOException {
        WorkersRun run = new WorkersRun(graph, options, count, watcher);
        run.sinks.begin();
        run.progress.begin();
        run.progress.job(JobState.SCHEDULED, null);
        try {
            String token = ChannelToken.random().hex();
            for (int i = 0; i < count; i++) {
                WorkerProcess worker = WorkerProcess.start(i, jvmArguments);
                run.workers.add(worker);
                worker.send(new WorkerMessage.Hello(token));
            }
        } catch (IOException | RuntimeException e) {
            run.end(PetrichorException.invalid("no worker process can be started: " + e));
            throw e;
        }
        run.workers.forEach(worker -> worker.listen(run.listener()));
        return run;
    }

    private WorkerProcess.Listener listener() {
        return new WorkerProcess.Listener() {
            @Override
            public void said(int worker, WorkerMessage message) {
                try {
                    handle(worker, message);
                } catch (PetrichorException e) {
                    end(e);
                } catch (RuntimeException e) {
                    end(new PetrichorException(ErrorCode.INTERNAL, "the job failed: " + e));
                }
            }

            @Override
            public void gone(int worker, PetrichorException reason) {
                end(reason);
            }
        };
    }

    private synchronized void handle(int worker, WorkerMessage message) {
        switch (message) {
            case WorkerMessage.Here(var address) -> arrived(worker, address);
            case WorkerMessage.StageDone(var _, var spilled) -> ended(spilled);
            case WorkerMessage.Moved(var subtask, var to, var why) ->
                    progress.moved(subtask, to, why);
            case WorkerMessage.Measured(var figures) -> progress.measured(figures);
            case WorkerMessage.Sample(var edge, var records) -> collector(edge).take(records);
            case WorkerMessage.Failed(var code, var text) ->
                    end(new PetrichorException(code, text));
            case WorkerMessage.Hello _,
                    WorkerMessage.Assign _,
                    WorkerMessage.RunStage _,
                    WorkerMessage.Cuts _ ->
                    throw new IllegalStateException("not for a coordinator: " + message);
        }
    }

    private void arrived(int worker, InetSocketAddress address) {
        addresses[worker] = address;
        if (++here < workers.size()) {
            return;
        }
        for (int i = 0; i < workers.size(); i++) {
            workers.get(i)
                    .send(
                            new WorkerMessage.Assign(
                                    graph,
                                    i,
                                    List.copyOf(Arrays.asList(addresses)),
                                    Math.max(
                                            MemoryShare.BYTES_MIN,
                                            options.memoryBytes() / workers.size()),
                                    options.spillFolder().toString(),
                                    options.spillBytesMax()));
        }
        progress.job(JobState.RUNNING, null);
        begin(0);
    }

    private void ended(long spilled) {
        // Each tells what it has spilled so far: those of the last stage count.
        spilledBytes = done == 0 ? spilled : spilledBytes + spilled;
        if (++done < workers.size()) {
            return;
        }
        done = 0;
        if (++stage < stages) {
            begin(stage);
        } else {
            succeed();
        }
    }

    private void begin(int next) {
        progress.stage(next, TaskState.READY);
        tell(new WorkerMessage.RunStage(next));
    }

    private RangeSample.Collector collector(int number) {
        JobEdge edge = graph.edges().get(number);
        return samples.computeIfAbsent(
                number,
                _ ->
                        JobAssembly.collection(
                                graph, edge, cuts -> tell(new WorkerMessage.Cuts(number, cuts))));
    }

    private void tell(WorkerMessage message) {
        workers.forEach(worker -> worker.send(message));
    }

    private void succeed() {
        workers.forEach(WorkerProcess::close);
        try {
            sinks.commit();
        } catch (RuntimeException e) {
            sinks.abort();
            progress.ended(JobState.FAILED, e.getMessage());
            result.completeExceptionally(e);
            return;
        }
        progress.ended(JobState.FINISHED, null);
        result.complete(
                new JobResult(
                        Duration.ofNanos(System.nanoTime() - startedNanos),
                        Map.of(),
                        spilledBytes));
    }

    private synchronized void end(PetrichorException reason) {
        if (!result.isDone()) {
            boolean bad = reason != cancellation;
            progress.job(bad ? JobState.FAILING : JobState.CANCELING, reason.getMessage());
            workers.forEach(WorkerProcess::close);
            sinks.abort();
            progress.ended(bad ? JobState.FAILED : JobState.CANCELED, reason.getMessage());
            result.completeExceptionally(reason);
        }
    }

    /** Ends all processes of the job; {@link #await()} then fails. */
    public void cancel() {
        end(cancellation);
    }

    /** How far it is: states as they are, figures at most half a second old. */
    public ExecutionGraph image() {
        return progress.image();
    }

    /** Waits for the end, and fails as the job failed. */
    public JobResult await() {
        try {
            return result.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PetrichorException known
                    ? known
                    : new PetrichorException(ErrorCode.INTERNAL, "the job failed: " + e.getCause());
        }
    }

    /** The processes of the job, by number. */
    public List<Long> processes() {
        return workers.stream().map(WorkerProcess::pid).toList();
    }
}
