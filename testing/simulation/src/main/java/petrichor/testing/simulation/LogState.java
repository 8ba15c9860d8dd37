package petrichor.testing.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.ProtocolState.Commit;
import petrichor.testing.simulation.ProtocolState.Row;

/**
 * The complete state of {@link LogModel}; {@link LogDraft} is a state under construction.
 *
 * @param elected number of elections so far; the last elected process holds the lease
 * @param takenBack how often a process that had the log took it back
 * @param writes writes in transit for which no process waits; they may arrive at any time, or never
 * @param acknowledged transactions reported as committed
 * @param refused transactions reported as not committed
 * @param wrong the first violation
 */
record LogState(
        int elected,
        int takenBack,
        List<Server> processes,
        Store store,
        Set<Write> writes,
        List<Client> clients,
        Set<Integer> acknowledged,
        Set<Integer> refused,
        @Nullable String wrong) {
    boolean leased(int process) {
        return process == elected - 1;
    }

    /** A slot of the log; each owner fills one epoch. */
    record Slot(int epoch, int number) {
        static final Slot FIRST = new Slot(0, 0);

        Slot next() {
            return new Slot(epoch, number + 1);
        }

        Slot ofNextEpoch() {
            return new Slot(epoch + 1, 0);
        }
    }

    /** The checkpoint: everything before {@code next} is applied; contains the last batch there. */
    record Note(Slot next, int epoch, int version) {
        static final Note NONE = new Note(Slot.FIRST, 0, 0);
    }

    /**
     * The content of a slot: a batch, or a seal if there is none.
     *
     * @param nonce attempt that wrote it
     */
    record Entry(Slot at, int nonce, Commit commit) {
        boolean isSeal() {
            return commit.equals(Commit.NONE);
        }
    }

    /** Whether records of an epoch are certainly valid. */
    record EpochGate(int epoch, boolean open) {}

    /**
     * The end of an epoch.
     *
     * @param slots number of valid records
     * @param sealer whose attempt owns the next epoch
     */
    record End(int epoch, int slots, int sealer) {
        /** Ends an epoch without taking the next one. */
        static final int NOBODY = -1;
    }

    /**
     * The durable state.
     *
     * @param gates of a plain log
     * @param ends of its epochs
     * @param list row that all transactions read and append to
     * @param marks rows written by one transaction each
     */
    record Store(
            Set<Entry> log,
            Set<EpochGate> gates,
            Set<End> ends,
            Note note,
            Row list,
            Set<Integer> marks) {
        static final Store EMPTY =
                new Store(Set.of(), Set.of(), Set.of(), Note.NONE, Row.EMPTY, Set.of());

        @Nullable End end(int epoch) {
            for (End end : ends) {
                if (end.epoch == epoch) {
                    return end;
                }
            }
            return null;
        }

        boolean isOpen(int epoch) {
            return gates.contains(new EpochGate(epoch, true));
        }

        boolean isClosed(int epoch) {
            return gates.contains(new EpochGate(epoch, false));
        }

        Store with(EpochGate gate) {
            Set<EpochGate> more = new HashSet<>(gates);
            more.remove(new EpochGate(gate.epoch, !gate.open));
            more.add(gate);
            return new Store(log, Set.copyOf(more), ends, note, list, marks);
        }

        Store with(End end) {
            Set<End> more = new HashSet<>(ends);
            more.removeIf(other -> other.epoch == end.epoch);
            more.add(end);
            return new Store(log, gates, Set.copyOf(more), note, list, marks);
        }

        Store withoutEndsBefore(int epoch) {
            Set<EpochGate> fewerGates = new HashSet<>(gates);
            fewerGates.removeIf(gate -> gate.epoch < epoch);
            Set<End> fewerEnds = new HashSet<>(ends);
            fewerEnds.removeIf(end -> end.epoch < epoch);
            return new Store(log, Set.copyOf(fewerGates), Set.copyOf(fewerEnds), note, list, marks);
        }

        @Nullable Entry entry(Slot at) {
            for (Entry entry : log) {
                if (entry.at.equals(at)) {
                    return entry;
                }
            }
            return null;
        }

        Store with(Entry entry) {
            Set<Entry> more = new HashSet<>(log);
            more.removeIf(other -> other.at.equals(entry.at));
            more.add(entry);
            return new Store(Set.copyOf(more), gates, ends, note, list, marks);
        }

        Store without(List<Slot> slots) {
            Set<Entry> fewer = new HashSet<>(log);
            fewer.removeIf(entry -> slots.contains(entry.at));
            return new Store(Set.copyOf(fewer), gates, ends, note, list, marks);
        }

        Store with(Note next) {
            return new Store(log, gates, ends, next, list, marks);
        }

        Store with(Commit commit, boolean onlyIfNewer) {
            Set<Integer> more = new HashSet<>(marks);
            more.add(commit.client());
            return new Store(
                    log, gates, ends, note, list.put(commit, onlyIfNewer), Set.copyOf(more));
        }
    }

    enum Phase {
        DOWN,
        /** About to read a slot. */
        WALKS,
        /** Has found a free slot. */
        SEALS,
        /** Has closed the gate, or tried to, and is about to read a slot after it. */
        COUNTS,
        /** Has read all slots, and is about to read the checkpoint again. */
        RECALLS,
        /** About to write the end. */
        ENDS,
        /** Has reached the end of the log, and is about to read the checkpoint again. */
        CHECKS,
        SERVES,
        /** Waits for the response to a record. */
        COMMITS,
        /** Its record is written; about to read the gate. */
        READS_GATE,
        /** Has found its gate closed, and is about to read the end. */
        SETTLES,
        /** Has found no end, and is about to write one. */
        RESIGNS,
        /** The wait has timed out. */
        LOST;

        boolean isServing() {
            return switch (this) {
                case SERVES, COMMITS, READS_GATE, SETTLES, RESIGNS, LOST -> true;
                case DOWN, WALKS, SEALS, COUNTS, RECALLS, ENDS, CHECKS -> false;
            };
        }
    }

    /**
     * A process.
     *
     * @param nonce its latest attempt
     * @param from checkpoint at which its walk started
     * @param at slot that it examines, or writes next
     * @param ours whether the last walked slot is its own seal
     * @param last position up to which it knows the log
     * @param count slots that it has read of the epoch that it is ending
     * @param seen last of these slots
     * @param walked slots that it has walked over
     * @param memory batches that it committed and that are not in the rows
     * @param applied slots whose batches are in the rows
     * @param reached next checkpoint
     * @param queue transactions that it was asked to commit
     * @param pending record that it is writing, or lost
     */
    record Server(
            Phase phase,
            int nonce,
            Note from,
            Slot at,
            boolean ours,
            Note last,
            int count,
            @Nullable Entry seen,
            List<Entry> walked,
            List<Entry> memory,
            List<Slot> applied,
            Note reached,
            boolean noted,
            List<Integer> queue,
            @Nullable Entry pending) {
        static final Server DOWN =
                new Server(
                        Phase.DOWN,
                        0,
                        Note.NONE,
                        Slot.FIRST,
                        false,
                        Note.NONE,
                        0,
                        null,
                        List.of(),
                        List.of(),
                        List.of(),
                        Note.NONE,
                        true,
                        List.of(),
                        null);
    }

    /** A write in transit from a process that no longer waits for it. */
    sealed interface Write {
        /** A record or a seal. */
        record Append(Entry entry) implements Write {}

        record Apply(Commit commit) implements Write {}

        record Noting(Note note) implements Write {}

        record Removal(List<Slot> slots) implements Write {}

        record Ending(End end) implements Write {}
    }

    /**
     * One transaction: what it has read, if it has started; whether it has requested the commit.
     */
    record Client(boolean started, int base, List<Integer> list, boolean asked) {
        static final Client IDLE = new Client(false, 0, List.of(), false);
    }
}
