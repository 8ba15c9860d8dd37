package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.number;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
import petrichor.transactions.TransactionOptions;

/**
 * Concurrent transfers between accounts that are created and removed: at every readable version,
 * the total equals the initial total.
 */
class BankTest {
    private static final int ACCOUNTS = 40;
    private static final long TOTAL = 1_000 * ACCOUNTS;
    private static final int TRANSFERS = 150;
    private static final KeyRange BANK = Rows.range("account/", "account0");

    private final long seed = Long.getLong("seed", System.nanoTime());

    @ParameterizedTest
    @EnumSource(TestStore.class)
    void moneyIsNeitherMadeNorLost(TestStore kind) throws Exception {
        try (TestBench bench = TestBench.withRealTime(kind);
                ExecutorService platform = Executors.newCachedThreadPool();
                ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor()) {
            RowDatabase database = bench.database();
            open(database);
            LongAdder moved = new LongAdder();
            AtomicBoolean over = new AtomicBoolean();
            List<Future<?>> tellers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                SplittableRandom random = new SplittableRandom(seed + i);
                Callable<Void> teller = () -> transfer(database, random, moved);
                tellers.add((i % 2 == 0 ? platform : virtual).submit(teller));
            }
            Future<?> auditor = platform.submit(() -> audit(database, over));
            Future<?> historian =
                    virtual.submit(() -> lookBack(database, new SplittableRandom(seed), over));
            for (Future<?> teller : tellers) {
                teller.get();
            }
            over.set(true);
            auditor.get();
            historian.get();
            assertThat(moved.sum()).as("transfers, seed " + seed).isEqualTo(8 * TRANSFERS);
            bench.reopen();
            try (Snapshot end = bench.database().snapshot()) {
                assertThat(sum(end)).as("seed " + seed).isEqualTo(TOTAL);
            }
        }
    }

    private static void open(Database database) {
        for (int i = 0; i < ACCOUNTS; i++) {
            try (Snapshot snapshot = database.snapshot()) {
                byte[] key = account(i);
                Rows.committed(
                        database.commit(
                                new CommitRequest(
                                        snapshot.version(),
                                        List.of(),
                                        List.of(),
                                        List.of(key),
                                        List.of(new RowWrite(key, number(1_000), null)))));
            }
        }
    }

    private static byte[] account(int number) {
        return Rows.bytes("account/" + number);
    }

    private static Void transfer(Database database, SplittableRandom random, LongAdder moved) {
        int done = 0;
        while (done < TRANSFERS) {
            Transaction transaction = database.begin(new TransactionOptions.Optimistic(null));
            int from = random.nextInt(ACCOUNTS);
            int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            Row source = transaction.get(account(from));
            Row target = transaction.get(account(to));
            long balance = number(source);
            // Sometimes the whole balance, so that the account is removed and later created again.
            long amount = random.nextInt(4) == 0 ? balance : balance / 2;
            List<RowWrite> writes =
                    List.of(
                            new RowWrite(account(from), left(balance - amount), source),
                            new RowWrite(account(to), left(number(target) + amount), target));
            CommitResult result =
                    transaction.commit(List.of(account(from), account(to)), writes).join();
            if (result instanceof CommitResult.Committed) {
                moved.increment();
                done++;
            } else {
                assertThat(result).isInstanceOf(CommitResult.Conflict.class);
            }
        }
        return null;
    }

    private static byte @org.jspecify.annotations.Nullable [] left(long balance) {
        return balance == 0 ? null : number(balance);
    }

    private static long sum(RowReader reader) {
        long sum = 0;
        try (RowCursor cursor = reader.scan(BANK, Direction.FORWARD)) {
            while (cursor.next()) {
                sum += number(new Row(cursor.key(), cursor.version(), cursor.value()));
            }
        }
        return sum;
    }

    private static void audit(Database database, AtomicBoolean over) {
        long last = 0;
        while (!over.get()) {
            try (Snapshot snapshot = database.snapshot()) {
                assertThat(snapshot.version()).isGreaterThanOrEqualTo(last);
                last = snapshot.version();
                assertThat(sum(snapshot)).isEqualTo(TOTAL);
                assertThat(sum(snapshot)).isEqualTo(TOTAL);
            }
        }
    }

    /** Repeats reads at past versions, by scan and by key, and expects the same result. */
    private static void lookBack(Database database, SplittableRandom random, AtomicBoolean over) {
        Map<Long, List<String>> seen = new HashMap<>();
        List<Long> versions = new ArrayList<>();
        while (!over.get()) {
            long version;
            if (versions.size() < 20 || random.nextInt(4) == 0) {
                try (Snapshot snapshot = database.snapshot()) {
                    version = snapshot.version();
                }
            } else {
                version = versions.get(random.nextInt(versions.size()));
            }
            try (Snapshot past = database.snapshotAt(version)) {
                assertThat(sum(past)).isEqualTo(TOTAL);
                List<String> rows = Rows.scan(past, BANK, Direction.FORWARD);
                assertThat(Rows.scan(past, BANK, Direction.REVERSE)).isEqualTo(rows.reversed());
                List<String> before = seen.putIfAbsent(version, rows);
                if (before == null) {
                    versions.add(version);
                } else {
                    assertThat(rows).isEqualTo(before);
                }
                long byKey = 0;
                for (int i = 0; i < ACCOUNTS; i++) {
                    byKey += number(past.get(account(i)));
                }
                assertThat(byKey).isEqualTo(TOTAL);
            }
        }
    }
}
