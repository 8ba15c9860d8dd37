package petrichor.bench.stores;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.bench.WatchedStore;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;
import petrichor.transactions.Branch;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/**
 * Measures the steps of a put from outside, at the boundaries between layers. A put of one entity
 * without a transaction runs on its client's thread up to the hand-over to the sequencer; the
 * durable step that contains it is the last one that ended before it is acknowledged. Safe for any
 * thread. No overhead while no put is timed.
 */
final class PutSteps implements WatchedStore.Watcher {
    /** The steps of a put, in order. */
    enum Step {
        VALIDATE("validate", "#b8cbe0"),
        READ("read the old row", "#2f6f9f"),
        DIFFER("difference of the index rows", "#8fbf9f"),
        WAIT("wait for the batch", "#d9c27a"),
        DURABLE("durable step", "#c8553d"),
        PUBLISH("publish and answer", "#9a86b8");

        private final String title;
        private final String colour;

        Step(String title, String colour) {
            this.title = title;
            this.colour = colour;
        }

        /** In drawings. */
        String colour() {
            return colour;
        }

        String title() {
            return title;
        }
    }

    /** Times at which a put passed each boundary, in nanoseconds of {@link System#nanoTime}. */
    private static final class WriteTimestamps {
        private long started;
        private long readStarted;
        private long readEnded;
        private long handedOver;
        private volatile long stepStarted;
        private volatile long stepEnded;
    }

    /** Bound per put, since a put runs on one store at a time. */
    private static final ScopedValue<WriteTimestamps> UNDER_WAY = ScopedValue.newInstance();

    private volatile long stepStarted;
    private volatile long stepEnded;

    @Override
    public void begins(WriteBatch rows) {
        stepStarted = System.nanoTime();
    }

    @Override
    public void ended() {
        stepEnded = System.nanoTime();
    }

    /** Runs a put and returns the duration of each step, in nanoseconds. */
    Map<Step, Long> time(Runnable put) {
        WriteTimestamps stamps = new WriteTimestamps();
        stamps.started = System.nanoTime();
        ScopedValue.where(UNDER_WAY, stamps).run(put);
        long told = System.nanoTime();
        return Map.of(
                Step.VALIDATE, stamps.readStarted - stamps.started,
                Step.READ, stamps.readEnded - stamps.readStarted,
                Step.DIFFER, stamps.handedOver - stamps.readEnded,
                Step.WAIT, stamps.stepStarted - stamps.handedOver,
                Step.DURABLE, stamps.stepEnded - stamps.stepStarted,
                Step.PUBLISH, told - stamps.stepEnded);
    }

    private static @Nullable WriteTimestamps underWay() {
        return UNDER_WAY.isBound() ? UNDER_WAY.get() : null;
    }

    /** Wraps the databases to observe them. */
    Databases watch(Databases below) {
        return new WatchedDatabases(below);
    }

    private final class WatchedDatabases implements Databases {
        private final Databases below;
        private final Map<Database, Database> watched = new ConcurrentHashMap<>();

        WatchedDatabases(Databases below) {
            this.below = below;
        }

        @Override
        public Database open(String name) {
            return watched.computeIfAbsent(below.open(name), WatchedDatabase::new);
        }

        @Override
        public List<String> names() {
            return below.names();
        }

        @Override
        public void drop(String name) {
            below.drop(name);
        }

        @Override
        public Branch branch(String name, String parent, OptionalLong at) {
            return below.branch(name, parent, at);
        }

        @Override
        public List<Branch> branches() {
            return below.branches();
        }

        @Override
        public void close() {
            below.close();
        }
    }

    private final class WatchedDatabase implements Database {
        private final Database below;

        WatchedDatabase(Database below) {
            this.below = below;
        }

        @Override
        public Snapshot snapshot() {
            WriteTimestamps stamps = underWay();
            Snapshot snapshot = below.snapshot();
            return stamps == null ? snapshot : new WatchedSnapshot(snapshot, stamps);
        }

        @Override
        public CompletableFuture<CommitResult> commit(CommitRequest request) {
            WriteTimestamps stamps = underWay();
            if (stamps == null) {
                return below.commit(request);
            }
            stamps.handedOver = System.nanoTime();
            // Runs in the committer's turn: the next group has not started.
            return below.commit(request)
                    .whenComplete(
                            (_, _) -> {
                                stamps.stepStarted = stepStarted;
                                stamps.stepEnded = stepEnded;
                            });
        }

        @Override
        public String name() {
            return below.name();
        }

        @Override
        public Snapshot snapshotAt(long version) {
            return below.snapshotAt(version);
        }

        @Override
        public MemoryBudget commitMemory() {
            return below.commitMemory();
        }

        @Override
        public boolean locksInUse() {
            return below.locksInUse();
        }

        @Override
        public Transaction begin(TransactionOptions options) {
            return below.begin(options);
        }

        @Override
        public Transaction transaction(TransactionId id) {
            return below.transaction(id);
        }

        @Override
        public void rollback(TransactionId id) {
            below.rollback(id);
        }

        @Override
        public long[] allocateIds(int count) {
            return below.allocateIds(count);
        }

        @Override
        public void reserveIds(long... ids) {
            below.reserveIds(ids);
        }
    }

    private record WatchedSnapshot(Snapshot below, WriteTimestamps stamps) implements Snapshot {
        private void readBegins() {
            if (stamps.readStarted == 0) {
                stamps.readStarted = System.nanoTime();
            }
        }

        @Override
        public @Nullable Row get(byte[] key) {
            readBegins();
            Row row = below.get(key);
            stamps.readEnded = System.nanoTime();
            return row;
        }

        @Override
        public List<@Nullable Row> get(List<byte[]> keys) {
            readBegins();
            List<@Nullable Row> rows = below.get(keys);
            stamps.readEnded = System.nanoTime();
            return rows;
        }

        @Override
        public RowCursor scan(KeyRange range, Direction direction) {
            return below.scan(range, direction);
        }

        @Override
        public long version() {
            return below.version();
        }

        @Override
        public void close() {
            below.close();
        }
    }
}
