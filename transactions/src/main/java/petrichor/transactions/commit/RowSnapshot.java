package petrichor.transactions.commit;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;
import petrichor.transactions.rows.ReadPoint;
import petrichor.transactions.rows.VersionReader;

/** A snapshot on an entered read point, which it leaves on close. */
public final class RowSnapshot implements Snapshot {
    private final ReadPoint point;
    private final VersionReader reader;
    private final AtomicBoolean closed = new AtomicBoolean();

    public RowSnapshot(ReadPoint point, VersionReader reader) {
        this.point = point;
        this.reader = reader;
    }

    @Override
    public long version() {
        return reader.version();
    }

    @Override
    public @Nullable Row get(byte[] key) {
        requireOpen();
        return reader.get(key);
    }

    @Override
    public List<@Nullable Row> get(List<byte[]> keys) {
        requireOpen();
        return reader.get(keys);
    }

    @Override
    public RowCursor scan(KeyRange range, Direction direction) {
        requireOpen();
        return reader.scan(range, direction);
    }

    private void requireOpen() {
        if (closed.get()) {
            throw new IllegalStateException("the snapshot was closed");
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            point.leave();
        }
    }
}
