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
 * Who takes part in a task of which subtasks may come and go: they take blocks from one gate, or
 * splits of one source, as they are ready for them.
 *
 * <p>The ends are safe by construction. A subtask leaves the roster before it ends its channels,
 * and one joins, channels and all, under the same lock: so whoever is on the roster meanwhile has
 * all of its channels open, and the receivers count on. When the first has left because there is
 * nothing more to take, nobody joins any more. Those that the plan asks for are never told to leave
 * earlier, so one is always there to see the end.
 *
 * <p>Safe for all threads. Its lock is held while channels are opened: gates are locked within it,
 * never the other way round.
 */
public final class TaskMembership {
    /** More subtasks than this take part in one task at no time. */
    public static final int SUBTASKS_MAX = 64;

    /** So many have ever begun, at most: whoever lets them come and go all day stops here. */
    private static final int SUBTASKS_EVER_MAX = 1_024;

    private final int least;
    private final @Nullable InputGate gate;
    private final boolean profiled;
    private final List<Place> present = new ArrayList<>();
    private int ever;
    private boolean ending;

    /**
     * @param least how many the plan asks for
     * @param gate where they take blocks; null if they read splits
     */
    public TaskMembership(int least, @Nullable InputGate gate, boolean profiled) {
        this.least = least;
        this.gate = gate;
        this.profiled = profiled;
    }

    public int least() {
        return least;
    }

    /** A place for one of those that the plan asks for; they are the first. */
    public synchronized Place begin() {
        return take();
    }

    private Place take() {
        Place place = new Place(ever++);
        present.add(place);
        return place;
    }

    /**
     * One more.
     *
     * @param opening opens its channels
     * @return what {@code opening} makes; null if the task is at its end, or has had enough of them
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

    /** Tells so many of those that came last to leave; none of those that the plan asks for. */
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

    /** How many take part; 0 when the task is at its end. Those who were told to leave do not. */
    public synchronized int size() {
        return ending ? 0 : (int) present.stream().filter(place -> !place.isSurplus()).count();
    }

    private void left(Place place) {
        boolean last;
        synchronized (this) {
            if (!present.remove(place)) {
                return;
            }
            // Whoever was not told to leave does so because nothing more is to be had or wanted.
            ending |= !place.isSurplus();
            last = present.isEmpty();
        }
        if (last && gate != null) {
            gate.enough();
        }
    }

    /** What one subtask is on the roster. */
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

        /** Whether it is to take no more. */
        public boolean isSurplus() {
            return taker.isSurplus();
        }

        /** Takes no more. Its channels must still be open. */
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
        public void enough() {
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
