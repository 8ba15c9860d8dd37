package petrichor.services.queues;

import java.util.List;
import petrichor.services.queues.QueueRows.Due;

/**
 * Learns about commits that change what is to be dispatched. Calls are hints: one may be missing
 * after a failure.
 */
public interface QueueListener {
    /** For a process that dispatches nothing. */
    QueueListener NONE =
            new QueueListener() {
                @Override
                public void added(String queue, List<Due> tasks) {}

                @Override
                public void changed(String queue) {}
            };

    /**
     * Tasks were added to a queue, or moved to these ETAs. Called possibly on the committer's
     * thread; must not block.
     */
    void added(String queue, List<Due> tasks);

    /**
     * A queue was defined, paused, resumed or deleted. Called on the thread that changed it, whose
     * caller may rely on the change when this returns.
     */
    void changed(String queue);
}
