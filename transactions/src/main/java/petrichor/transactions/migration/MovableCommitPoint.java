package petrichor.transactions.migration;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.StoreView;
import petrichor.kv.WriteBatch;
import petrichor.transactions.changes.ChangeLog;
import petrichor.transactions.changes.StepChanges;
import petrichor.transactions.log.CommitPoint;
import petrichor.transactions.log.StepMemory;
import petrichor.transactions.rows.RowSource;
import petrichor.transactions.rows.TableLayout;

/**
 * The commit point of a database that can move to another store. {@link #take} follows the {@link
 * Residence} rows from the home to the store that holds the database now. While a migration
 * captures, each step also contains a copy of itself.
 *
 * <p>A reader that began in the former store ends there: its rows at that version stay readable
 * while the store follows.
 */
public final class MovableCommitPoint implements CommitPoint {
    /** Epochs of later generations are higher; a store has fewer takeovers than this. */
    private static final int GENERATION_SHIFT = 40;

    /** Part of a captured step; longer values would need much memory at once in some stores. */
    private static final int PART_BYTES_MAX = 1 << 20;

    /** Weight of the former average in that of {@link #stepNanos}. */
    private static final int RECENT_STEPS = 16;

    /** A store that holds the database, or held it. */
    private static final class Place {
        final String store;
        final long generation;
        final CommitPoint point;

        Place(String store, long generation, CommitPoint point) {
            this.store = store;
            this.generation = generation;
            this.point = point;
        }
    }

    private final MigrationStores stores;
    private final TableLayout layout;
    private final BooleanSupplier alone;
    private final TimeSource time;
    private volatile Place current;
    private volatile @Nullable MigrationState migration;
    private volatile boolean capturing;

    /** The state that makes steps be captured may not be stored yet. */
    private volatile boolean starting;

    private volatile long takeovers;
    private volatile long movedAt;
    private volatile long stepNanos;
    private boolean closed;

    /**
     * @param alone true if no other process can have committed until now
     */
    public MovableCommitPoint(
            MigrationStores stores, TableLayout layout, TimeSource time, BooleanSupplier alone) {
        this.stores = stores;
        this.time = time;
        this.layout = layout;
        this.alone = alone;
        this.current = place(MigrationStores.HOME, 0);
    }

    /**
     * Whether another store may have rows of the database, as far as its home shows: it was moved
     * and has not come back for good, or is being moved.
     */
    public static boolean isInSeveralStores(Reads home, TableLayout layout) {
        Residence moved = Residence.read(home, layout);
        return MigrationRows.state(home, layout) != null
                || (moved != null && !moved.store().equals(MigrationStores.HOME));
    }

    /** Whether ranges of the database are in several stores, as far as its home shows. */
    public static boolean hasRing(Reads home, TableLayout layout) {
        Residence moved = Residence.read(home, layout);
        return moved != null && moved.store().equals(MigrationStores.RING);
    }

    private Place place(String store, long generation) {
        Place[] self = new Place[1];
        // A former place no longer knows what is committed.
        CommitPoint point =
                stores.commitPoint(store, layout, () -> isCurrent(self[0]) && alone.getAsBoolean());
        self[0] = new Place(store, generation, point);
        return self[0];
    }

    private boolean isCurrent(@Nullable Place place) {
        return place != null && current.point.equals(place.point);
    }

    /** The store that holds the database. */
    public String store() {
        return current.store;
    }

    /** Snapshots up to this version may read the former store; 0 for none. */
    long movedAt() {
        return movedAt;
    }

    /** How often the database was taken: a takeover may find another state than expected. */
    long takeovers() {
        return takeovers;
    }

    /** Whether a migration has started and not ended, as of the last takeover or switch. */
    public boolean isMigrating() {
        return capturing || migration != null;
    }

    /** As it was stored at the last takeover or switch; null for none. */
    @Nullable MigrationState migration() {
        return migration;
    }

    /** From the next step on, also if a recovery finds no state yet. */
    void startCapture() {
        starting = true;
        capturing = true;
    }

    /** From the next step on; recoveries follow the stored state, which says the same. */
    void capture(boolean on) {
        capturing = on;
        starting = false;
    }

    @Override
    public Taken take() {
        Place first = current;
        Taken taken = first.point.take();
        Place place = first;
        Residence moved = Residence.read(first.point.live().rows(), layout);
        try {
            while (moved != null && moved.generation() > place.generation) {
                if (moved.store().equals(place.store)) {
                    place = new Place(place.store, moved.generation(), place.point);
                } else {
                    Place next = place(moved.store(), moved.generation());
                    close(place, first);
                    place = next;
                    taken = arrive(place, moved);
                }
                moved = Residence.read(place.point.live().rows(), layout);
            }
            MigrationState state = MigrationRows.state(place.point.live().rows(), layout);
            current = place;
            migration = state;
            capturing = starting || (state != null && state.phase().captures());
            long before = takeovers;
            takeovers = before + 1;
        } catch (RuntimeException failed) {
            close(place, first);
            throw failed;
        }
        if (!place.point.equals(first.point)) {
            movedAt = taken.last().version();
            first.point.close();
        }
        return taken(place, taken);
    }

    /** The first one is needed until another one has taken its place. */
    private static void close(Place place, Place first) {
        if (!place.point.equals(first.point)) {
            place.point.close();
        }
    }

    /** Takes the database there; completes a switch that another process decided. */
    private Taken arrive(Place place, Residence moved) {
        Taken taken = place.point.take();
        Residence arrived = Residence.read(place.point.live().rows(), layout);
        boolean ring = moved.store().equals(MigrationStores.RING);
        // The home of a ring has the decision; its log may still be empty.
        if (arrived != null
                && arrived.generation() >= moved.generation()
                && (!ring || taken.last().version() >= moved.version())) {
            return taken;
        }
        if (ring && arrived == null && taken.last().version() >= moved.version()) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The database was being dropped, which is complete now; retry.");
        }
        if (taken.last().version() >= moved.version()) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    "The database has moved to the store {store}, but its rows there were removed"
                            + " or replaced. Restore the store from a backup.",
                    "store",
                    moved.store());
        }
        Residence here =
                new Residence(
                        moved.store(),
                        moved.generation(),
                        moved.version(),
                        moved.previous(),
                        new byte[0]);
        WriteBatch first =
                new WriteBatch()
                        .put(TableLayout.META, MigrationRows.residenceKey(layout), here.encode())
                        .put(
                                TableLayout.META,
                                ring ? layout.ringKey() : MigrationRows.stateKey(layout),
                                moved.arriving());
        changeLog().record(first, moved.previous(), moved.version(), new StepChanges());
        if (place.point.commit(first, moved.version(), StepMemory.NONE)
                != DurableStep.Outcome.DONE) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "The database has moved to the store {store}, which does not accept writes"
                            + " now.",
                    "store",
                    moved.store());
        }
        // Memory of recent history begins after the steps that were applied to a follower.
        return place.point.take();
    }

    private ChangeLog changeLog() {
        return new ChangeLog(layout, partBytes());
    }

    private int partBytes() {
        return Math.min(PART_BYTES_MAX, stores.store(current.store).capabilities().valueBytesMax());
    }

    private static Taken taken(Place place, Taken taken) {
        long start = place.generation << GENERATION_SHIFT;
        LastCommit last = taken.last();
        return new Taken(
                start + taken.epoch(), new LastCommit(start + last.epoch(), last.version()));
    }

    /**
     * Decides that the database moves. After DONE or UNKNOWN, {@link #take} continues where the
     * database is then. Call between two steps.
     *
     * @param previous version of the last step
     * @param version higher than those of all steps
     */
    DurableStep.Outcome leaveFor(MigrationState state, long previous, long version) {
        return leave(state.to(), state.switched(version).encode(), previous, version);
    }

    /** The same, for a ring in the home. */
    public DurableStep.Outcome enterRing(byte[] map, long previous, long version) {
        return leave(MigrationStores.RING, map, previous, version);
    }

    private DurableStep.Outcome leave(String to, byte[] arriving, long previous, long version) {
        Place place = current;
        Residence moved = new Residence(to, place.generation + 1, version, previous, arriving);
        WriteBatch last =
                new WriteBatch()
                        .put(TableLayout.META, MigrationRows.residenceKey(layout), moved.encode())
                        .delete(TableLayout.META, MigrationRows.stateKey(layout))
                        .deleteRange(TableLayout.META, MigrationRows.captured(layout));
        changeLog().record(last, previous, version, new StepChanges());
        try {
            return place.point.commit(last, version, StepMemory.NONE);
        } catch (RuntimeException failed) {
            // It may be decided: no step may follow before recovery.
            return DurableStep.Outcome.UNKNOWN;
        }
    }

    /**
     * Commits internal rows as a step of their own, and has the log read again. Call between two
     * steps; after DONE or UNKNOWN, {@link #take} follows.
     */
    public DurableStep.Outcome commitBetweenSteps(WriteBatch rows, long previous, long version) {
        changeLog().record(rows, previous, version, new StepChanges());
        try {
            return current.point.commit(rows, version, StepMemory.NONE);
        } catch (RuntimeException failed) {
            // It may be decided: no step may follow before recovery.
            return DurableStep.Outcome.UNKNOWN;
        }
    }

    /** The commit point in the store that holds the database. */
    public CommitPoint current() {
        return current.point;
    }

    @Override
    public void awaitCapacity(StepMemory step) {
        current.point.awaitCapacity(step);
    }

    @Override
    public boolean fillsBatch(long rows, long bytes) {
        return current.point.fillsBatch(rows, bytes);
    }

    @Override
    public DurableStep.Outcome commit(WriteBatch batch, long version, StepMemory memory) {
        if (capturing) {
            MigrationRows.capture(layout, batch, version, partBytes());
        }
        long began = time.monotonicNanos();
        DurableStep.Outcome outcome = current.point.commit(batch, version, memory);
        long average = stepNanos;
        stepNanos = average + (time.monotonicNanos() - began - average) / RECENT_STEPS;
        return outcome;
    }

    /** Average time of recent steps, in nanoseconds. */
    public long stepNanos() {
        return stepNanos;
    }

    /** Reads the store that holds the database at the time of each read. */
    @Override
    public RowSource live() {
        return new RowSource() {
            private final Reads rows = new CurrentReads();

            @Override
            public Reads rows() {
                return rows;
            }

            @Override
            public Reads historyAfter(long version) {
                return current.point.live().historyAfter(version);
            }

            @Override
            public @Nullable StoreView view() {
                return null;
            }
        };
    }

    @Override
    public RowSource frozen() {
        return current.point.frozen();
    }

    @Override
    public void awaitApplied(long version) {
        // A branch begins at a version of its parent, which is not a step of its own.
        if (version > layout.branchedAt()) {
            current.point.awaitApplied(version);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            current.point.close();
        }
    }

    private final class CurrentReads implements Reads {
        private Reads now() {
            return current.point.live().rows();
        }

        @Override
        public byte @Nullable [] get(String table, byte[] key) {
            return now().get(table, key);
        }

        @Override
        public List<byte @Nullable []> get(String table, List<byte[]> keys) {
            return now().get(table, keys);
        }

        @Override
        public Scan scan(String table, KeyRange range, Direction direction, int limit) {
            return now().scan(table, range, direction, limit);
        }
    }
}
