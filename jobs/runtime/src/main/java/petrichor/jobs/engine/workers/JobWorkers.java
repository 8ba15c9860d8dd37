package petrichor.jobs.engine.workers;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The worker processes of one job graph, stage by stage. Safe for all threads. */
public interface JobWorkers extends AutoCloseable {
    /**
     * The processes of one attempt. The receiver of this record closes them.
     *
     * @param memoryBytes memory of each for sorts, tables and buffers, by number
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
     * Whether the processes of a job that has succeeded are released, to serve another one, instead
     * of being ended.
     */
    default boolean keepsProcesses() {
        return false;
    }

    /** Takes back released processes. */
    default void giveBack(Gathered released) {
        released.links().forEach(WorkerLink::close);
    }

    /** Whether each stage gets processes of its own, instead of those of the previous stage. */
    boolean byStage();

    /**
     * Requests new processes for a stage; completes when all of them are ready. Earlier stages, and
     * the processes of an earlier attempt, have ended.
     */
    CompletableFuture<Gathered> gather(int stage);

    /** Ends the job, or cancels a pending request. */
    @Override
    void close();
}
