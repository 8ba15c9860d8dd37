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
 * opens its channels under the same lock: so every participant has all of its channels open, and no
 * receiver sees the end of its input early. Once a participant has left because the input is
 * exhausted, no further subtask can join. The planned subtasks are never asked to leave early, so
 * at least one sees the end of the input.
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
    private final List<Participant> present = new ArrayList<>();
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
    public synchronized Participant begin() {
        return take();
    }

    private Participant take() {
        Participant participant = new Participant(ever++);
        present.add(participant);
        return participant;
    }

    /**
     * Adds another subtask.
     *
     * @param opening opens its channels
     * @return the result of {@code opening}; null if the task is ending or a limit is reached
     */
    public synchronized <S> @Nullable S join(Function<Participant, S> opening) {
        if (ending || present.isEmpty() || ever >= SUBTASKS_EVER_MAX) {
            return null;
        }
        Participant participant = take();
        try {
            return opening.apply(participant);
        } catch (Throwable e) {
            present.remove(participant);
            throw e;
        }
    }

    /**
     * Asks the {@code count} most recently added subtasks to stop; never goes below the planned
     * parallelism.
     */
    public void dismiss(int count) {
        List<Participant> asked = new ArrayList<>();
        synchronized (this) {
            for (int i = present.size() - 1; i >= 0 && asked.size() < count; i--) {
                Participant participant = present.get(i);
                if (participant.number() >= least && !participant.isSurplus()) {
                    participant.taker.leave();
                    asked.add(participant);
                }
            }
        }
        if (gate != null && !asked.isEmpty()) {
            gate.wake();
        }
    }

    /** Current parallelism, without subtasks that were asked to stop; 0 when the task is ending. */
    public synchronized int size() {
        return ending
                ? 0
                : (int) present.stream().filter(participant -> !participant.isSurplus()).count();
    }

    private void left(Participant participant) {
        boolean last;
        synchronized (this) {
            if (!present.remove(participant)) {
                return;
            }
            // A participant that was not asked to stop leaves because the input is exhausted or no
            // longer wanted.
            ending |= !participant.isSurplus();
            last = present.isEmpty();
        }
        if (last && gate != null) {
            gate.cancelUpstream();
        }
    }

    /** One subtask's membership. */
    public final class Participant implements TaskInput {
        private final int number;
        private final GateConsumer taker = new GateConsumer();
        private volatile boolean left;

        private Participant(int number) {
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
