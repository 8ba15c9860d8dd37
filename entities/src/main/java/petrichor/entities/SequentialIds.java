package petrichor.entities;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * Ranges of consecutive ids, which App Engine's API allocates besides scattered ids. One counter
 * per database, in a row, serves all kinds and parents. Its ids end where the scattered ones start.
 * Stateless.
 */
final class SequentialIds {
    /** The lower half of the ids that JavaScript can represent. */
    static final long LAST = (1L << 52) - 1;

    static final byte[] ROW = RowLayout.metaRow("sequential-ids");

    /** Each conflict means that another caller allocated a range. */
    private static final int ATTEMPTS_MAX = 100;

    private SequentialIds() {}

    /** The counter after a change, and the range that the change took from it. */
    private interface Change {
        @Nullable IdRange of(long next);
    }

    static IdRange allocate(Database rows, long count) {
        if (count < 1 || count > LAST) {
            throw PetrichorException.invalid(
                    "The number of ids must be at least 1 and below 2^52.");
        }
        IdRange range =
                take(
                        rows,
                        next ->
                                next > LAST - count + 1
                                        ? null
                                        : new IdRange(next, next + count - 1));
        if (range == null) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The database has no {count} consecutive ids left; ask for fewer.",
                    "count",
                    count);
        }
        return range;
    }

    /** The skipped ids; an empty range if the counter had already passed {@code last}. */
    static IdRange reserve(Database rows, long last) {
        if (last < 0 || last > LAST) {
            throw PetrichorException.invalid("The last id to reserve must be from 0 to 2^52 - 1.");
        }
        IdRange skipped = take(rows, next -> last < next ? null : new IdRange(next, last));
        if (skipped != null) {
            return skipped;
        }
        try (Snapshot snapshot = rows.snapshot()) {
            long next = next(snapshot.get(ROW));
            return new IdRange(next, next - 1);
        }
    }

    private static long next(@Nullable Row row) {
        return row == null ? 1 : new OrderedReader(row.value(), 0).takeLong();
    }

    /** Null if the change takes nothing. */
    private static @Nullable IdRange take(Database rows, Change change) {
        for (int attempt = 1; ; attempt++) {
            Cancellation.checkCurrent();
            CommitResult result;
            IdRange range;
            try (Snapshot snapshot = rows.snapshot()) {
                Row prior = snapshot.get(ROW);
                range = change.of(next(prior));
                if (range == null) {
                    return null;
                }
                byte[] value = new OrderedWriter().putLong(range.last() + 1).toBytes();
                result =
                        rows.commit(
                                        new CommitRequest(
                                                snapshot.version(),
                                                List.of(),
                                                List.of(),
                                                List.of(ROW),
                                                List.of(new RowWrite(ROW, value, prior))))
                                .join();
            }
            switch (result) {
                case CommitResult.Committed _ -> {
                    return range;
                }
                case CommitResult.Conflict(byte[] key, long version) -> {
                    if (attempt == ATTEMPTS_MAX) {
                        throw PetrichorException.of(
                                ErrorCode.ABORTED,
                                "Too many clients allocate ids at once; retry.",
                                "row",
                                Bytes.of(key),
                                "version",
                                version);
                    }
                }
                case CommitResult.Refused(PetrichorException reason) -> throw reason;
                case CommitResult.Unknown(PetrichorException reason) -> throw reason;
            }
        }
    }
}
