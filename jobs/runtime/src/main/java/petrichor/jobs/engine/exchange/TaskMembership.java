package petrichor.jobs.engine.exchange;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.GateConsumer;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.channels.TaskInput;

/**
 * The current subtasks of a task under live scaling: each takes blocks from the shared gate, or
 * splits from the shared source, whenever it is ready for more.
 *
 * <p>Ends are safe by construction. A subtask leaves before it ends its channels, and joins and
 * opens its channels under the same lock: so every member has all of its channels open, and no
 * receiver sees the end of its input early. Once a member has left because the input is exhausted,
 * no further subtask can join. The planned subtasks are never asked to leave early, so at least one
 * sees the end of the input.
 *
 * <p>Safe for all threads. Its lock is held while channels are opened: gates are locked within it,
 * never the other way round.
 */
public final class TaskMembership {
    /** Limit of one task's concurrent subtasks. */
    public static final int SUBTASKS_MAX = 64;

    /**
     * Limit of all subtasks ever added, to bound a policy that adds and removes subtasks forever.
     */
    private static final int SUBTASKS_EVER_MAX = 1_024;

    private final int least;
    private final @Nullable InputGate gate;
    private final boolean profiled;
    private final List<Place> present = new ArrayList<>();
    private int ever;
    private boolean ending;

    /**
     * @param least planned parallelism
     * @param gate where subtasks take blocks; null if they read splits
     */
    public TaskMembership(int least, @Nullable InputGate gate, boolean profiled) {
        this.least = least;
        this.gate = gate;
        this.profiled = profiled;
    }

    public int least() {
        return least;
    }

    /** Adds one of the planned subtasks, which come first. */
    public synchronized Place begin() {
        return take();
    }

    private Place take() {
        Place place = new Place(ever++);
        present.add(place);
        return place;
    }

    /**
     * Adds another subtask.
     *
     * @param opening opens its channels
     * @return the result of {@code opening}; null if the task is ending or a limit is reached
     */
    public synchronized <S> @Nullable S join(Function<Place, S> opening) {
        if (ending || present.isEmpty() || ever >= SUBTASKS_EVER_MAX) {
            return null;
        }
        Place place = take();
        try {
            return opening.apply(place);
        } catch (Throwable e) {
            present.remove(place);
            throw e;
        }
    }

    /**
     * Asks the {@code count} most recently added subtasks to stop; never goes below the planned
     * parallelism.
     */
    public void dismiss(int count) {
        List<Place> told = new ArrayList<>();
        synchronized (this) {
            for (int i = present.size() - 1; i >= 0 && told.size() < count; i--) {
                Place place = present.get(i);
                if (place.number() >= least && !place.isSurplus()) {
                    place.taker.leave();
                    told.add(place);
                }
            }
        }
        if (gate != null && !told.isEmpty()) {
            gate.wake();
        }
    }

    /** Current parallelism, without subtasks that were asked to stop; 0 when the task is ending. */
    public synchronized int size() {
        return ending ? 0 : (int) present.stream().filter(place -> !place.isSurplus()).count();
    }

    private void left(Place place) {
        boolean last;
        synchronized (this) {
            if (!present.remove(place)) {
                return;
            }
            // A member that was not asked to stop leaves because the input is exhausted or no
            // longer wanted.
            ending |= !place.isSurplus();
            last = present.isEmpty();
        }
        if (last && gate != null) {
            gate.cancelUpstream();
        }
    }

    /** One subtask's membership. */
    public final class Place implements TaskInput {
        private final int number;
        private final GateConsumer taker = new GateConsumer();
        private volatile boolean left;

        private Place(int number) {
            this.number = number;
        }

        /** The subtask's number. */
        public int number() {
            return number;
        }

        /** Whether it was asked to stop. */
        public boolean isSurplus() {
            return taker.isSurplus();
        }

        /** Leaves the task. Its channels must still be open. */
        public void leave() {
            left = true;
            left(this);
        }

        @Override
        public int senders() {
            throw new IllegalStateException("per-sender reads are not supported on a shared gate");
        }

        @Override
        public @Nullable Block next() {
            return left || gate == null ? null : gate.next(taker);
        }

        @Override
        public @Nullable Block next(int sender) {
            throw new IllegalStateException("per-sender reads are not supported on a shared gate");
        }

        @Override
        public void cancelUpstream() {
            leave();
        }

        @Override
        public long waitedNanos() {
            return gate == null || !profiled ? 0 : taker.waitedNanos();
        }

        @Override
        public void close() {
            leave();
        }
    }
}
