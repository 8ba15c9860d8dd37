package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The complete state of {@link ProtocolModel}: two processes that may own the database, the store,
 * messages in transit, and the clients.
 *
 * @param lease epoch that holds the lease; 0 if none does
 * @param epochs number of epochs so far
 * @param durable state that survives a power failure; null if it equals the store
 * @param acknowledged transactions reported as committed
 * @param wrong the first violation
 */
record ProtocolState(
        int lease,
        int epochs,
        List<Owner> owners,
        Store store,
        @Nullable Store durable,
        Set<Message> messages,
        List<Client> clients,
        Set<Integer> acknowledged,
        @Nullable String wrong) {

    enum Phase {
        DOWN,
        /** Holds the lease and has not used it. */
        ELECTED,
        /** Has recovered too early; possible only without {@link Guard#FENCE_BEFORE_RECOVERY}. */
        HASTY,
        /** Has fenced off the former owner. */
        TAKEN,
        SERVING
    }

    /**
     * A process.
     *
     * @param fence under which it writes
     * @param last highest assigned version
     * @param published version of its snapshots
     * @param slot of the log that it writes next
     */
    record Owner(Phase phase, int epoch, int fence, int last, int published, int slot, Work work) {
        static final Owner DOWN = new Owner(Phase.DOWN, 0, 0, 0, 0, 0, Work.NONE);

        Owner as(Phase next) {
            return new Owner(next, epoch, fence, last, published, slot, work);
        }

        Owner withFence(int next) {
            return new Owner(phase, epoch, next, last, published, slot, work);
        }

        /**
         * Has sealed the log (or only read it, without {@link Guard#SEAL}) and continues after it.
         */
        Owner behind(int slotRead, boolean sealed) {
            int next = sealed ? slotRead + 1 : slotRead;
            return new Owner(Phase.TAKEN, epoch, fence, last, published, next, work);
        }

        Owner working(Work next) {
            return new Owner(phase, epoch, fence, next.commit.version, published, slot, next);
        }

        /** The commit is complete and visible. */
        Owner published(int version) {
            return new Owner(phase, epoch, fence, last, version, slot + 1, Work.NONE);
        }

        /** Treats the step as failed and continues; see {@link Guard#STOP_ON_UNKNOWN}. */
        Owner ignoring() {
            return new Owner(phase, epoch, fence, last, published, slot + 1, Work.NONE);
        }
    }

    /** The effect of a transaction: appends its number to the lists in both rows. */
    record Commit(int client, int version, List<Integer> list) {
        static final Commit NONE = new Commit(0, 0, List.of());
    }

    /** What an owner waits for: the response of the store, then the application of both rows. */
    record Work(Commit commit, int rowsToApply) {
        static final Work NONE = new Work(Commit.NONE, 0);

        boolean busy() {
            return commit.version > 0;
        }
    }

    /** A row with all its versions; the last one put is current, the others are history. */
    record Row(Commit current, Set<Commit> history) {
        static final Row EMPTY = new Row(Commit.NONE, Set.of());

        Row put(Commit next, boolean onlyIfNewer) {
            if (onlyIfNewer && next.version <= current.version) {
                return this;
            }
            Set<Commit> older = new HashSet<>(history);
            older.add(current);
            return new Row(next, older);
        }

        /** The list at a version. */
        List<Integer> read(int version) {
            Commit found = current;
            if (current.version > version) {
                found = Commit.NONE;
                for (Commit older : history) {
                    if (older.version <= version && older.version >= found.version) {
                        found = older;
                    }
                }
            }
            return found.list;
        }
    }

    /** A row of the log. In tier B all epochs share one log, under 0. */
    record LogRow(int epoch, int slot, Commit commit) {
        /** Excludes processes elected before {@code sealer}. */
        static LogRow seal(int slot, int sealer) {
            return new LogRow(0, slot, new Commit(sealer, 0, List.of()));
        }

        boolean isSeal() {
            return commit.version == 0;
        }
    }

    /**
     * The store.
     *
     * @param fencedBy process that committed under each fence so far
     * @param sealed number of valid rows in each epoch's log (tier C; kept by coordination)
     */
    record Store(
            int fence, List<Fence> fencedBy, Row x, Row y, Set<LogRow> log, List<Sealed> sealed) {
        static final Store EMPTY =
                new Store(0, List.of(), Row.EMPTY, Row.EMPTY, Set.of(), List.of());

        Store withFence(int next) {
            return new Store(next, fencedBy, x, y, log, sealed);
        }

        Store withCommitter(Fence committer) {
            List<Fence> more = new ArrayList<>(fencedBy);
            if (!more.contains(committer)) {
                more.add(committer);
            }
            return new Store(fence, more, x, y, log, sealed);
        }

        Store withRows(Row nextX, Row nextY) {
            return new Store(fence, fencedBy, nextX, nextY, log, sealed);
        }

        Store withLog(LogRow row) {
            Set<LogRow> more = new HashSet<>(log);
            more.removeIf(other -> other.epoch == row.epoch && other.slot == row.slot);
            more.add(row);
            return new Store(fence, fencedBy, x, y, more, sealed);
        }

        Store withSealed(Sealed seal) {
            List<Sealed> more = new ArrayList<>(sealed);
            more.add(seal);
            return new Store(fence, fencedBy, x, y, log, more);
        }

        @Nullable LogRow logRow(int epoch, int slot) {
            for (LogRow row : log) {
                if (row.epoch == epoch && row.slot == slot) {
                    return row;
                }
            }
            return null;
        }

        /** Number of filled slots before the first free one. */
        int contiguous(int epoch) {
            int slot = 0;
            while (logRow(epoch, slot + 1) != null) {
                slot++;
            }
            return slot;
        }

        @Nullable Sealed sealOf(int epoch) {
            for (Sealed seal : sealed) {
                if (seal.epoch == epoch) {
                    return seal;
                }
            }
            return null;
        }
    }

    record Fence(int number, int process) {}

    record Sealed(int epoch, int rows) {}

    /** A message in transit, which may arrive at any time or never. */
    record Message(Kind kind, int process, int epoch, int fence, int slot, Commit commit) {
        enum Kind {
            BATCH,
            LOG,
            APPLY_X,
            APPLY_Y,
            DONE,
            FENCED
        }

        Message as(Kind next) {
            return new Message(next, process, epoch, fence, slot, commit);
        }
    }

    /**
     * One transaction: what it has read, if it has started; whether it has requested the commit.
     */
    record Client(boolean started, int base, List<Integer> list, boolean asked) {
        static final Client IDLE = new Client(false, 0, List.of(), false);
    }
}
