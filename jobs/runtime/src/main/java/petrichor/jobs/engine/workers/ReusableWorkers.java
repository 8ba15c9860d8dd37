package petrichor.jobs.engine.workers;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * Worker processes on this machine that serve a sequence of job graphs, such as the rounds of an
 * iteration: starting a JVM and compiling its code again would cost each round more than its work.
 * The processes of a graph that fails are ended, as are all with {@link #close}. Safe for all
 * threads; graphs run one at a time.
 */
public final class ReusableWorkers implements WorkerSource, AutoCloseable {
    private final Workers workers;
    private List<WorkerLink> idle = List.of();
    private boolean closed;

    ReusableWorkers(Workers workers) {
        this.workers = workers;
    }

    @Override
    public int attemptsMax() {
        return workers.attemptsMax();
    }

    @Override
    public JobWorkers open(JobGraph graph, EngineOptions options) {
        return new JobWorkers() {
            @Override
            public boolean byStage() {
                return false;
            }

            @Override
            public boolean keepsProcesses() {
                return true;
            }

            @Override
            public CompletableFuture<Gathered> gather(int stage) {
                return CompletableFuture.completedFuture(workers.gathered(take(), options));
            }

            @Override
            public void giveBack(Gathered released) {
                keep(released.links());
            }

            @Override
            public void close() {}
        };
    }

    /** The processes of the previous graph, or new ones. */
    private synchronized List<WorkerLink> take() {
        List<WorkerLink> kept = idle;
        idle = List.of();
        if (!kept.isEmpty() && kept.stream().allMatch(WorkerLink::isAlive)) {
            return kept;
        }
        kept.forEach(WorkerLink::close);
        return workers.start();
    }

    private synchronized void keep(List<WorkerLink> released) {
        if (closed) {
            released.forEach(WorkerLink::close);
        } else {
            idle = released;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        idle.forEach(WorkerLink::close);
        idle = List.of();
    }
}
