package petrichor.transactions.databases;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;

/**
 * Reads at the version of a transaction at the time of each read; the commit does not validate
 * them.
 */
record UnvalidatedReads(RowTransaction transaction) implements RowReader {
    @Override
    public long version() {
        return transaction.version();
    }

    @Override
    public @Nullable Row get(byte[] key) {
        return transaction.unrecorded(snapshot -> snapshot.get(List.of(key))).getFirst();
    }

    @Override
    public List<@Nullable Row> get(List<byte[]> keys) {
        return transaction.unrecorded(snapshot -> snapshot.get(keys));
    }

    @Override
    public RowCursor scan(KeyRange range, Direction direction) {
        return transaction.unrecorded(snapshot -> snapshot.scan(range, direction));
    }
}
