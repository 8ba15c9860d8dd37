package petrichor.bench.stores;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.bench.ClosedLoop;
import petrichor.bench.Sample;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/**
 * Numbered rows that each hold a number, at the transaction layer. Transactions move 1 from one row
 * to another, so that the total never changes; an aborted one is retried, naming its predecessor,
 * until it commits. Safe for any thread.
 */
record Accounts(Database database) {
    private static final int BALANCE_AT_FIRST = 1_000;
    private static final int LOADED_AT_ONCE = 500;

    /**
     * The result of a period of transfers.
     *
     * @param sample committed ones; the latency is that of all attempts
     * @param lost attempts that were aborted by conflicts
     * @param slowestShare commits of the client with the fewest, as a fraction of the mean
     */
    record Transfers(Sample sample, long lost, double slowestShare) {}

    void load(int rows) throws Exception {
        for (int from = 0; from < rows; from += LOADED_AT_ONCE) {
            List<byte[]> keys = new ArrayList<>();
            for (int id = from; id < Math.min(rows, from + LOADED_AT_ONCE); id++) {
                keys.add(key(id));
            }
            try (Snapshot snapshot = database.snapshot()) {
                List<@Nullable Row> former = snapshot.get(keys);
                List<RowWrite> writes = new ArrayList<>();
                for (int i = 0; i < keys.size(); i++) {
                    writes.add(new RowWrite(keys.get(i), value(BALANCE_AT_FIRST), former.get(i)));
                }
                CommitResult result =
                        database.commit(
                                        new CommitRequest(
                                                snapshot.version(),
                                                List.of(),
                                                List.of(),
                                                keys,
                                                writes))
                                .get();
                if (!committed(result)) {
                    throw new IllegalStateException(
                            "another process writes to the benchmark's rows");
                }
            }
        }
    }

    long sum(int rows) {
        long sum = 0;
        try (Snapshot snapshot = database.snapshot()) {
            for (int id = 0; id < rows; id++) {
                sum += balance(snapshot.get(key(id)));
            }
        }
        return sum;
    }

    static long sumAtFirst(int rows) {
        return (long) rows * BALANCE_AT_FIRST;
    }

    /** Transfers among the first {@code rows} rows. */
    Transfers transfer(int clients, int rows, Duration length) throws Exception {
        SplittableRandom[] random = new SplittableRandom[clients];
        Arrays.setAll(random, SplittableRandom::new);
        AtomicLongArray commits = new AtomicLongArray(clients);
        AtomicLong lost = new AtomicLong();
        Sample sample =
                ClosedLoop.run(
                        clients,
                        length,
                        (client, _) -> {
                            int from = random[client].nextInt(rows);
                            int to = (from + 1 + random[client].nextInt(rows - 1)) % rows;
                            lost.addAndGet(move(from, to));
                            commits.incrementAndGet(client);
                        });
        long all = 0;
        long fewest = Long.MAX_VALUE;
        for (int client = 0; client < clients; client++) {
            all += commits.get(client);
            fewest = Math.min(fewest, commits.get(client));
        }
        return new Transfers(sample, lost.get(), all == 0 ? 0 : (double) fewest * clients / all);
    }

    /** Returns how many attempts were aborted. */
    private int move(int from, int to) throws Exception {
        List<byte[]> keys = List.of(key(from), key(to));
        TransactionId previous = null;
        for (int lost = 0; ; lost++) {
            Transaction transaction = database.begin(new TransactionOptions.Optimistic(previous));
            previous = transaction.id();
            List<@Nullable Row> rows = transaction.get(keys);
            Row source = rows.get(0);
            Row target = rows.get(1);
            CommitResult result =
                    transaction
                            .commit(
                                    keys,
                                    List.of(
                                            new RowWrite(
                                                    keys.get(0),
                                                    value(balance(source) - 1),
                                                    source),
                                            new RowWrite(
                                                    keys.get(1),
                                                    value(balance(target) + 1),
                                                    target)))
                            .get();
            if (committed(result)) {
                return lost;
            }
        }
    }

    static boolean committed(CommitResult result) {
        return switch (result) {
            case CommitResult.Committed _ -> true;
            case CommitResult.Conflict _ -> false;
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        };
    }

    static byte[] key(int id) {
        return ByteBuffer.allocate(1 + Integer.BYTES).put((byte) 'a').putInt(id).array();
    }

    static byte[] value(long balance) {
        return ByteBuffer.allocate(Long.BYTES).putLong(balance).array();
    }

    private static long balance(@Nullable Row row) {
        return ByteBuffer.wrap(Objects.requireNonNull(row).value()).getLong();
    }
}
