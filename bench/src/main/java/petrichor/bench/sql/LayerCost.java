package petrichor.bench.sql;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import petrichor.bench.ClosedLoop;
import petrichor.bench.Contender;
import petrichor.bench.Contest;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.Sample;
import petrichor.bench.TemporaryFolder;
import petrichor.frontends.postgres.PostgresFrontEnd;
import petrichor.frontends.postgres.PostgresSettings;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.sql.SqlDatabase;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionOptions;
import petrichor.transactions.databases.RowDatabases;

/**
 * What SQL adds to the latency of the transactions below it: the comparison of seed 004, with its
 * operations, one client. Both use the embedded store in this process; statements arrive through
 * JDBC, over the loopback interface.
 */
final class LayerCost {
    private static final int ROWS = 20_000;
    private static final int ROWS_PER_COPY = 5_000;
    private static final int ROWS_PER_COMMIT = 500;
    private static final int VALUE_BYTES = 1_000;
    private static final int SCANNED_ROWS = 50;
    private static final double ADDED_MILLIS_MAX = 0.1;
    private static final String TRANSACTIONS = "transactions";
    private static final String SQL = "SQL";
    private static final String VALUE = "v".repeat(VALUE_BYTES);
    private static final byte[] VALUE_ENCODED = VALUE.getBytes(StandardCharsets.US_ASCII);

    private final Database database;
    private final Connection connection;
    private final SplittableRandom random = new SplittableRandom(1);
    private int inserted = ROWS;

    /** An operation of the comparison. */
    private enum Kind {
        INSERT("insert"),
        UPDATE("update"),
        READ("read"),
        SCAN("scan of 50 rows");

        private final String title;

        Kind(String title) {
            this.title = title;
        }
    }

    private LayerCost(Database database, Connection connection) {
        this.database = database;
        this.connection = connection;
    }

    static void measure(Report report, int rounds, Duration length, Progress progress)
            throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder();
                RocksStore store = RocksStore.open(folder.path("data"));
                RowDatabases databases = new RowDatabases(store);
                SqlDatabase sql = SqlDatabase.open(databases.open("sql"));
                PostgresFrontEnd frontEnd =
                        PostgresFrontEnd.open(
                                PostgresSettings.plain(SqlEndpoint.HOST, 0), new OpenLogins(sql))) {
            SqlEndpoint server = new SqlEndpoint(SQL, frontEnd.port(), "bench", "", "bench", null);
            try (Connection connection = server.connect()) {
                LayerCost cost = new LayerCost(databases.open("rows"), connection);
                progress.say("loading " + ROWS + " rows");
                cost.load();
                for (Kind kind : Kind.values()) {
                    cost.compare(kind, report, rounds, length, progress);
                }
            }
        }
    }

    private void load() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table usertable (k varchar(20) primary key, v varchar)");
        }
        CopyRows rows = new CopyRows(connection, ROWS_PER_COPY);
        rows.begin("usertable");
        for (int i = 0; i < ROWS; i++) {
            rows.add(key(i), VALUE);
        }
        rows.end();
        for (int from = 0; from < ROWS; from += ROWS_PER_COMMIT) {
            List<byte[]> keys = new ArrayList<>(ROWS_PER_COMMIT);
            for (int i = from; i < from + ROWS_PER_COMMIT; i++) {
                keys.add(encoded(key(i)));
            }
            put(keys);
        }
    }

    private void compare(Kind kind, Report report, int rounds, Duration length, Progress progress)
            throws Exception {
        String text =
                switch (kind) {
                    case INSERT -> "insert into usertable values (?, ?)";
                    case UPDATE -> "update usertable set v = ? where k = ?";
                    case READ -> "select v from usertable where k = ?";
                    case SCAN ->
                            "select v from usertable where k >= ? order by k limit " + SCANNED_ROWS;
                };
        Contest.Outcome outcome;
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            outcome =
                    new Contest(
                                    kind.title + ", 1 client",
                                    SQL,
                                    List.of(
                                            new Contender(
                                                    TRANSACTIONS,
                                                    time -> loop(time, () -> row(kind))),
                                            new Contender(
                                                    SQL,
                                                    time ->
                                                            loop(
                                                                    time,
                                                                    () -> sql(kind, statement)))),
                                    Map.of())
                            .run(rounds, length, progress);
        }
        report.add(outcome);
        double added =
                (outcome.median(SQL, Sample::p50Micros)
                                - outcome.median(TRANSACTIONS, Sample::p50Micros))
                        / 1e3;
        report.add(
                new Report.Figure(
                        kind.title + ": added by SQL, median",
                        added,
                        "ms",
                        String.format(Locale.ROOT, "at most %.1f", ADDED_MILLIS_MAX),
                        added <= ADDED_MILLIS_MAX));
    }

    @FunctionalInterface
    private interface Operation {
        void run() throws SQLException;
    }

    private static Sample loop(Duration length, Operation operation) throws Exception {
        return ClosedLoop.run(1, length, (_, _) -> operation.run());
    }

    private String any() {
        return key(random.nextInt(ROWS));
    }

    private static String key(int number) {
        return String.format(Locale.ROOT, "user%09d", number);
    }

    private static byte[] encoded(String key) {
        return key.getBytes(StandardCharsets.US_ASCII);
    }

    private void row(Kind kind) {
        switch (kind) {
            case INSERT -> put(List.of(encoded(key(inserted++))));
            case UPDATE -> put(List.of(encoded(any())));
            case READ -> {
                try (Snapshot snapshot = database.snapshot()) {
                    if (snapshot.get(encoded(any())) == null) {
                        throw new IllegalStateException("a row is missing");
                    }
                }
            }
            case SCAN -> {
                KeyRange range = new KeyRange(encoded(any()), null);
                try (Snapshot snapshot = database.snapshot();
                        RowCursor rows = snapshot.scan(range, Direction.FORWARD)) {
                    for (int i = 0; i < SCANNED_ROWS && rows.next(); i++) {
                        if (rows.value().length != VALUE_BYTES) {
                            throw new IllegalStateException("a row is damaged");
                        }
                    }
                }
            }
        }
    }

    /** Reads the rows and replaces them, in a serializable transaction. */
    private void put(List<byte[]> keys) {
        Transaction transaction = database.begin(new TransactionOptions.Optimistic(null));
        List<RowWrite> writes = new ArrayList<>(keys.size());
        for (byte[] key : keys) {
            writes.add(new RowWrite(key, VALUE_ENCODED, transaction.get(key)));
        }
        CommitResult result = transaction.commit(keys, writes).join();
        if (!(result instanceof CommitResult.Committed)) {
            throw new IllegalStateException("not committed: " + result);
        }
    }

    private void sql(Kind kind, PreparedStatement statement) throws SQLException {
        switch (kind) {
            case INSERT -> {
                statement.setString(1, key(inserted++));
                statement.setString(2, VALUE);
                changed(statement);
            }
            case UPDATE -> {
                statement.setString(1, VALUE);
                statement.setString(2, any());
                changed(statement);
            }
            case READ, SCAN -> {
                statement.setString(1, any());
                try (ResultSet rows = statement.executeQuery()) {
                    if (!rows.next()) {
                        throw new IllegalStateException("a row is missing");
                    }
                    while (rows.next()) {
                        // All of them are read.
                    }
                }
            }
        }
    }

    private static void changed(PreparedStatement statement) throws SQLException {
        if (statement.executeUpdate() != 1) {
            throw new IllegalStateException("no row was changed");
        }
    }
}
