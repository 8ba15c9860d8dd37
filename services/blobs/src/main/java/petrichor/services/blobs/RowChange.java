package petrichor.services.blobs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * One atomic change of rows: reads at a snapshot, collects writes, and commits them if nothing that
 * it read has changed; otherwise runs again on a new snapshot. Reads do not see its own writes.
 * Confined to one thread.
 */
final class RowChange {
    private static final int ATTEMPTS_MAX = 100;

    private final Snapshot snapshot;
    private final Map<Key, @Nullable Row> read = new LinkedHashMap<>();
    private final List<KeyRange> ranges = new ArrayList<>();
    private final Map<Key, byte @Nullable []> written = new LinkedHashMap<>();

    private RowChange(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    private record Key(byte[] bytes) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key key && Arrays.equals(bytes, key.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    /**
     * Commits the writes of the body, and returns its result. An exception of the body ends the
     * change without a write. UNAVAILABLE if it is not known whether the commit took place.
     */
    static <T> T commit(Database database, Function<RowChange, T> body) {
        for (int attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
            Cancellation.checkCurrent();
            try (Snapshot snapshot = database.snapshot()) {
                RowChange change = new RowChange(snapshot);
                T result = body.apply(change);
                if (change.written.isEmpty() || change.committed(database)) {
                    return result;
                }
            }
        }
        throw PetrichorException.of(
                ErrorCode.ABORTED,
                "other requests changed the same bucket or object "
                        + ATTEMPTS_MAX
                        + " times; retry later");
    }

    @Nullable Row get(byte[] key) {
        Key wanted = new Key(key);
        // Not computeIfAbsent: that a row does not exist is also a fact that was read.
        if (!read.containsKey(wanted)) {
            read.put(wanted, snapshot.get(key));
        }
        return read.get(wanted);
    }

    /** The first row of a range; null if it is empty. All of the range counts as read. */
    @Nullable Row first(KeyRange range) {
        List<Row> rows = first(range, 1);
        return rows.isEmpty() ? null : rows.getFirst();
    }

    List<Row> first(KeyRange range, int rowsMax) {
        ranges.add(range);
        List<Row> rows = new ArrayList<>();
        try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
            while (rows.size() < rowsMax && cursor.next()) {
                rows.add(new Row(cursor.key(), cursor.version(), cursor.value()));
            }
        }
        return rows;
    }

    void put(byte[] key, byte[] value) {
        written.put(new Key(key), value);
    }

    void delete(byte[] key) {
        written.put(new Key(key), null);
    }

    private boolean committed(Database database) {
        List<RowWrite> writes = new ArrayList<>();
        List<byte[]> keys = new ArrayList<>();
        for (Map.Entry<Key, byte @Nullable []> write : written.entrySet()) {
            byte[] key = write.getKey().bytes();
            Row prior = get(key);
            if (write.getValue() != null || prior != null) {
                writes.add(new RowWrite(key, write.getValue(), prior));
                keys.add(key);
            }
        }
        List<byte[]> onlyRead = new ArrayList<>();
        for (Key key : read.keySet()) {
            if (!written.containsKey(key)) {
                onlyRead.add(key.bytes());
            }
        }
        if (writes.isEmpty()) {
            return true;
        }
        return switch (result(database, onlyRead, keys, writes)) {
            case CommitResult.Committed _ -> true;
            case CommitResult.Conflict _ -> false;
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        };
    }

    private CommitResult result(
            Database database, List<byte[]> onlyRead, List<byte[]> keys, List<RowWrite> writes) {
        try {
            return database.commit(
                            new CommitRequest(snapshot.version(), onlyRead, ranges, keys, writes))
                    .join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }
}
