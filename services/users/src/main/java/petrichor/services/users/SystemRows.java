package petrichor.services.users;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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

/** Reads and changes single rows of the system database. Thread-safe. */
public final class SystemRows {
    /** Attempts to change a row that others change at the same time. */
    private static final int ATTEMPTS_MAX = 10;

    private final Supplier<Database> database;

    /**
     * @param database the system database, opened on each call since it may have moved
     */
    public SystemRows(Supplier<Database> database) {
        this.database = database;
    }

    public byte @Nullable [] get(byte[] key) {
        try (Snapshot snapshot = database.get().snapshot()) {
            Row row = snapshot.get(key);
            return row == null ? null : row.value();
        }
    }

    /** Values in the order of their keys. */
    public List<byte[]> scan(KeyRange range) {
        List<byte[]> values = new ArrayList<>();
        try (Snapshot snapshot = database.get().snapshot();
                RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                values.add(cursor.value());
            }
        }
        return values;
    }

    /**
     * Replaces a row by the result of the change; null means no row. The change may be called
     * several times.
     */
    public void change(byte[] key, Function<byte @Nullable [], byte @Nullable []> change) {
        for (int attempt = 1; ; attempt++) {
            Database current = database.get();
            try (Snapshot snapshot = current.snapshot()) {
                Row prior = snapshot.get(key);
                byte[] next = change.apply(prior == null ? null : prior.value());
                if (next == null && prior == null) {
                    return;
                }
                if (committed(
                        current,
                        snapshot.version(),
                        List.of(new RowWrite(key, next, prior)),
                        attempt)) {
                    return;
                }
            }
        }
    }

    /** Deletes up to {@code most} rows. */
    void delete(KeyRange range, int most) {
        Database current = database.get();
        try (Snapshot snapshot = current.snapshot()) {
            List<RowWrite> deletions = new ArrayList<>();
            try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
                while (deletions.size() < most && cursor.next()) {
                    deletions.add(
                            new RowWrite(
                                    cursor.key(),
                                    null,
                                    new Row(cursor.key(), cursor.version(), cursor.value())));
                }
            }
            if (!deletions.isEmpty()) {
                // A conflict means that another call deletes them.
                var _ = committed(current, snapshot.version(), deletions, 1);
            }
        }
    }

    private static boolean committed(
            Database database, long version, List<RowWrite> writes, int attempt) {
        CommitResult result =
                database.commit(
                                new CommitRequest(
                                        version,
                                        List.of(),
                                        List.of(),
                                        writes.stream().map(RowWrite::key).toList(),
                                        writes))
                        .join();
        return switch (result) {
            case CommitResult.Committed _ -> true;
            case CommitResult.Conflict _ when attempt < ATTEMPTS_MAX -> false;
            case CommitResult.Conflict _ ->
                    throw PetrichorException.of(
                            ErrorCode.ABORTED, "others change this; retry later");
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        };
    }
}
