package petrichor.services.queues.dispatch;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Settlement;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Makes the outcomes of a project's deliveries durable, in groups: the outcomes that arrive during
 * a commit are written by the next one. Thread-safe.
 */
final class Outcomes {
    private static final System.Logger LOG = System.getLogger(Outcomes.class.getName());

    private final ProjectQueues queues;
    private final int perCommit;
    private final BiConsumer<List<Settlement.Attempt>, List<Settlement.Result>> settled;
    private final Queue<Settlement.Attempt> waiting = new ConcurrentLinkedQueue<>();

    /** The group that a failed commit left. */
    private List<Settlement.Attempt> group = List.of();

    private final Turns turns;

    /**
     * @param settled receives each group that is durable
     */
    Outcomes(
            ProjectQueues queues,
            int perCommit,
            Scheduler scheduler,
            BiConsumer<List<Settlement.Attempt>, List<Settlement.Result>> settled) {
        this.queues = queues;
        this.perCommit = perCommit;
        this.settled = settled;
        this.turns = new Turns("outcomes of " + queues.project(), scheduler, this::turn);
    }

    void add(Settlement.Attempt attempt) {
        waiting.add(attempt);
        turns.wake();
    }

    private void turn() {
        while (!turns.closed()) {
            if (group.isEmpty()) {
                group = nextGroup();
            }
            if (group.isEmpty()) {
                return;
            }
            List<Settlement.Result> results = settle();
            List<Settlement.Attempt> done = group;
            group = List.of();
            settled.accept(done, results);
        }
    }

    /** One outcome that can never be written must not stop the others. */
    private List<Settlement.Result> settle() {
        try {
            return queues.settle(group);
        } catch (PetrichorException failed) {
            if (!permanent(failed.code())) {
                throw failed;
            }
            if (group.size() > 1) {
                waiting.addAll(group.subList(1, group.size()));
                group = List.of(group.getFirst());
                return settle();
            }
            LOG.log(
                    Level.ERROR,
                    "The outcome of the task "
                            + group.getFirst().task()
                            + " cannot be recorded; it runs again after a restart",
                    failed);
            return List.of();
        }
    }

    private static boolean permanent(ErrorCode code) {
        return code == ErrorCode.INTERNAL || code == ErrorCode.INVALID_ARGUMENT;
    }

    private List<Settlement.Attempt> nextGroup() {
        List<Settlement.Attempt> next = new ArrayList<>();
        while (next.size() < perCommit) {
            Settlement.Attempt attempt = waiting.poll();
            if (attempt == null) {
                break;
            }
            next.add(attempt);
        }
        return next;
    }

    void close() {
        turns.close();
    }
}
