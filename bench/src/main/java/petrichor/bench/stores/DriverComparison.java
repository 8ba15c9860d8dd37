package petrichor.bench.stores;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.bench.ClosedLoop;
import petrichor.bench.Contender;
import petrichor.bench.Contest;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.Sample;
import petrichor.bench.drivers.RawRows;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.databases.RowDatabases;

/**
 * The overhead of transactions over a store: snapshot reads and transactional puts, compared with
 * gets and puts of the same rows by the store's bare driver.
 */
final class DriverComparison {
    private static final int ROWS_MAX = 20_000;

    /** Enough rows that 64 clients rarely use the same one in succession. */
    private static final int ROWS_MIN = 1_000;

    /** A slow store holds fewer rows instead. */
    private static final Duration LOADING_MAX = Duration.ofSeconds(60);

    private static final int VALUE_BYTES = 400;
    private static final int LOADERS = 32;
    private static final int SAID_EACH_ROWS = 500;

    private static final double READS_LEAST = 0.9;

    /** Target at one client: the ratio of throughputs; a half means twice the latency. */
    private static final double PUTS_LEAST = 0.5;

    private static final double PUT_LATENCY_RATIO_MAX = 2;

    private static final int ONE = 1;
    private static final int MANY = 64;

    private static final String OURS = "transactions";
    private static final String DRIVER = "bare driver";

    /** One operation on a row. */
    @FunctionalInterface
    private interface RowOperation {
        void on(int row) throws Exception;
    }

    private final OpenStore opened;
    private final String store;
    private final RawRows raw;
    private Database database;
    private int rows = ROWS_MAX;

    DriverComparison(OpenStore opened, RawRows raw) {
        this.opened = opened;
        this.store = opened.name();
        this.raw = raw;
        this.database = opened.rows();
    }

    void measure(Report report, int rounds, Duration length, Progress progress) throws Exception {
        load("by the bare driver", row -> raw.put(key(row), value(row)), progress);
        load("in transactions", this::put, progress);
        if (rows < ROWS_MAX) {
            report.note(store + ": " + rows + " rows, as many as could be loaded in a minute");
        }
        try (RowDatabases uncached = opened.withoutRowCache()) {
            database = uncached.open(opened.calls().project());
            for (int clients : List.of(ONE, MANY)) {
                report.add(
                        contest("read", clients, READS_LEAST, row -> raw.get(key(row)), this::read)
                                .run(rounds, length, progress));
            }
        }
        database = opened.rows();
        for (int clients : List.of(ONE, MANY)) {
            Contest.Outcome outcome =
                    contest(
                                    "put",
                                    clients,
                                    PUTS_LEAST,
                                    row -> raw.put(key(row), value(row)),
                                    this::put)
                            .run(rounds, length, progress);
            report.add(outcome);
            if (clients == ONE) {
                double ratio =
                        outcome.median(OURS, Sample::p50Micros)
                                / outcome.median(DRIVER, Sample::p50Micros);
                report.add(
                        new Report.Figure(
                                store + ": latency of a put over the bare driver's, 1 client",
                                ratio,
                                "times",
                                "at most 2",
                                ratio <= PUT_LATENCY_RATIO_MAX));
            }
        }
    }

    /** Loads rows until all are loaded or the time is over; returns how many. */
    private void load(String how, RowOperation operation, Progress progress) throws Exception {
        long end = System.nanoTime() + LOADING_MAX.toNanos();
        AtomicInteger loaded = new AtomicInteger();
        AtomicInteger complete = new AtomicInteger(rows);
        List<Thread> loaders = new ArrayList<>();
        List<Exception> failures = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < LOADERS; i++) {
            int first = i;
            loaders.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            int row = first;
                                            while (row < rows && System.nanoTime() < end) {
                                                operation.on(row);
                                                row += LOADERS;
                                                sayLoaded(loaded.incrementAndGet(), how, progress);
                                            }
                                            complete.accumulateAndGet(row, Math::min);
                                        } catch (Exception failed) {
                                            failures.add(failed);
                                        }
                                    }));
        }
        for (Thread loader : loaders) {
            loader.join();
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        rows = complete.get();
        if (rows < ROWS_MIN) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    store
                            + " took "
                            + LOADING_MAX.toSeconds()
                            + " s for "
                            + rows
                            + " rows "
                            + how
                            + "; at least "
                            + ROWS_MIN
                            + " are needed for a comparison");
        }
    }

    private void sayLoaded(int loaded, String how, Progress progress) {
        if (loaded % SAID_EACH_ROWS == 0) {
            progress.say("loading " + how + ", " + loaded + " of " + rows + " rows: " + store);
        }
    }

    private Contest contest(
            String what, int clients, double least, RowOperation bare, RowOperation ours) {
        return new Contest(
                store + ": " + what + ", " + clients + (clients == 1 ? " client" : " clients"),
                OURS,
                List.of(contender(DRIVER, clients, bare), contender(OURS, clients, ours)),
                Map.of(DRIVER, least));
    }

    /** Clients use disjoint rows, so that no transaction is aborted. */
    private Contender contender(String name, int clients, RowOperation operation) {
        return new Contender(
                name,
                length -> {
                    SplittableRandom[] random = new SplittableRandom[clients];
                    Arrays.setAll(random, SplittableRandom::new);
                    return ClosedLoop.run(
                            clients,
                            length,
                            (client, _) ->
                                    operation.on(
                                            random[client].nextInt(rows / clients) * clients
                                                    + client));
                });
    }

    private void read(int row) {
        try (Snapshot snapshot = database.snapshot()) {
            if (snapshot.get(key(row)) == null) {
                throw new IllegalStateException("row " + row + " is not there");
            }
        }
    }

    private void put(int row) throws Exception {
        byte[] key = key(row);
        Transaction transaction = database.begin(new TransactionOptions.Optimistic(null));
        Row former = transaction.get(key);
        if (!Accounts.committed(
                transaction
                        .commit(List.of(key), List.of(new RowWrite(key, value(row), former)))
                        .get())) {
            throw new IllegalStateException("another process writes to the benchmark's rows");
        }
    }

    private static byte[] key(int row) {
        return ByteBuffer.allocate(1 + Integer.BYTES).put((byte) 'r').putInt(row).array();
    }

    /** A different value each time: a server may detect that nothing changes, and write nothing. */
    private static byte[] value(int row) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) row);
        ByteBuffer.wrap(value).putLong(ThreadLocalRandom.current().nextLong());
        return value;
    }
}
