package petrichor.transactions.databases;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.SharedVersion;
import petrichor.transactions.Snapshot;
import petrichor.transactions.rows.ParentRows;
import petrichor.transactions.rows.ReadPoint;
import petrichor.transactions.rows.RowSource;
import petrichor.transactions.rows.TableLayout;
import petrichor.transactions.rows.VersionReader;

/**
 * A version of a database that is sequenced by another server, read from the store: its rows, and
 * the history of those that have changed since. Thread-safe; its cursors are confined to one
 * thread.
 */
final class FollowerSnapshot implements Snapshot {
    /**
     * Tolerance for the clock of a new owner, which may be ahead of the clock by which history of
     * the current hour is found.
     */
    private static final long OWNERS_CLOCKS_APART_MICROS = 60_000_000;

    private final SharedVersion shared;
    private final TimeSource time;
    private final long answeredNanos;
    private final ReadPoint point;
    private final VersionReader reader;

    /**
     * @param parent what a branch shares with its parent; null if it is not a branch
     */
    FollowerSnapshot(
            SharedVersion shared,
            long version,
            Reads store,
            @Nullable ParentRows parent,
            TimeSource time) {
        this.shared = shared;
        this.time = time;
        this.answeredNanos = time.monotonicNanos();
        this.point = new ReadPoint(version, RowSource.beside(store), false, () -> {});
        this.reader =
                new VersionReader(
                        new TableLayout(shared.number()),
                        point,
                        () -> ownerMicros() + OWNERS_CLOCKS_APART_MICROS,
                        null,
                        parent);
    }

    /** A lower bound of the owner's current clock. */
    private long ownerMicros() {
        long now = shared.ownerMicros() + (time.monotonicNanos() - answeredNanos) / 1_000;
        return Math.max(now, shared.version());
    }

    /** Call after a read: its result was complete if the version is still retained. */
    void requireRetained() {
        // When the owner reported the newest version, nothing of it had been overwritten.
        long needed = version() == shared.version() ? shared.ownerMicros() : version();
        if (needed < ownerMicros() - shared.retentionMicros()) {
            throw PetrichorException.invalid(
                    "The version that is read is too old: versions are kept for {retentionMicros}"
                            + " s. Use a later read time, or finish sooner.",
                    "retentionMicros",
                    shared.retentionMicros() / 1_000_000);
        }
    }

    @Override
    public long version() {
        return reader.version();
    }

    @Override
    public @Nullable Row get(byte[] key) {
        Row row = reader.get(key);
        requireRetained();
        return row;
    }

    @Override
    public List<@Nullable Row> get(List<byte[]> keys) {
        List<@Nullable Row> rows = reader.get(keys);
        requireRetained();
        return rows;
    }

    @Override
    public RowCursor scan(KeyRange range, Direction direction) {
        RowCursor cursor = reader.scan(range, direction);
        return new RowCursor() {
            @Override
            public boolean next() {
                boolean more = cursor.next();
                requireRetained();
                return more;
            }

            @Override
            public byte[] key() {
                return cursor.key();
            }

            @Override
            public long version() {
                return cursor.version();
            }

            @Override
            public byte[] value() {
                return cursor.value();
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }

    @Override
    public void close() {
        point.leave();
    }
}
