package petrichor.transactions.databases;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;

/** Shorthands for reading and writing rows in tests. */
public final class Rows {
    private Rows() {}

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    public static long number(@Nullable Row row) {
        return row == null ? 0 : ByteBuffer.wrap(row.value()).getLong();
    }

    public static KeyRange range(String from, String to) {
        return new KeyRange(bytes(from), bytes(to));
    }

    public static @Nullable String text(@Nullable Row row) {
        return row == null ? null : new String(row.value(), StandardCharsets.UTF_8);
    }

    /** {@code key=value} of every row of the range, in scan order. */
    public static List<String> scan(RowReader reader, KeyRange range, Direction direction) {
        List<String> rows = new ArrayList<>();
        try (RowCursor cursor = reader.scan(range, direction)) {
            while (cursor.next()) {
                rows.add(
                        new String(cursor.key(), StandardCharsets.UTF_8)
                                + "="
                                + new String(cursor.value(), StandardCharsets.UTF_8));
            }
        }
        return rows;
    }

    public static RowWrite write(RowReader reader, String key, @Nullable String value) {
        return new RowWrite(
                bytes(key), value == null ? null : bytes(value), reader.get(bytes(key)));
    }

    /** Writes one row, replacing any existing one. */
    public static CompletableFuture<CommitResult> put(
            Database database, String key, @Nullable String value) {
        try (Snapshot snapshot = database.snapshot()) {
            return database.commit(
                    new CommitRequest(
                            snapshot.version(),
                            List.of(),
                            List.of(),
                            List.of(bytes(key)),
                            List.of(write(snapshot, key, value))));
        }
    }

    public static long committed(CompletableFuture<CommitResult> result) {
        if (result.join() instanceof CommitResult.Committed(long version)) {
            return version;
        }
        throw new AssertionError("expected a commit, got " + result.join());
    }

    /** Commits rows that the transaction read or creates. */
    public static CompletableFuture<CommitResult> commit(
            Transaction transaction, RowWrite... writes) {
        List<byte[]> keys = new ArrayList<>();
        for (RowWrite write : writes) {
            keys.add(write.key());
        }
        return transaction.commit(keys, List.of(writes));
    }
}
