package petrichor.jobs.engine.workers;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The worker processes of one job graph, stage by stage. Safe for all threads. */
public interface JobWorkers extends AutoCloseable {
    /**
     * Processes that work for one attempt together. Whoever gets them closes them.
     *
     * @param memoryBytes what each may take for sorts, tables and buffers, by number
     */
    record Gathered(List<WorkerLink> links, SlotAssignment slots, List<Long> memoryBytes) {
        public Gathered {
            links = List.copyOf(links);
            memoryBytes = List.copyOf(memoryBytes);
            if (links.size() != slots.workers() || links.size() != memoryBytes.size()) {
                throw new IllegalArgumentException(
                        links.size() + " workers in " + slots.workers() + " slots");
            }
        }
    }

    /**
     * Whether processes of a job that has ended well are released, to serve another one, instead of
     * being ended.
     */
    default boolean keepsProcesses() {
        return false;
    }

    /** Takes back processes that have been released. */
    default void giveBack(Gathered released) {
        released.links().forEach(WorkerLink::close);
    }

    /** Whether each stage gets processes of its own, instead of those of the stage before it. */
    boolean byStage();

    /**
     * New processes for a stage, when all of them are there; stages before it have ended. The
     * processes of an earlier attempt have ended too.
     */
    CompletableFuture<Gathered> gather(int stage);

    /** The job has ended, or no longer wants what it asked for. */
    @Override
    void close();
}
