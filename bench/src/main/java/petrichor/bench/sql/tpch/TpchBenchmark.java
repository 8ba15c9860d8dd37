package petrichor.bench.sql.tpch;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import petrichor.analytics.AnalyticsSettings;
import petrichor.bench.ClosedLoop;
import petrichor.bench.Contender;
import petrichor.bench.Contest;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.Sample;
import petrichor.bench.sql.SqlEndpoint;

/**
 * The engine for analytics with TPC-H: the rate of the first scan, all queries beside DuckDB over
 * tables of its own with the same rows, threads and memory, and commits while queries run.
 */
public final class TpchBenchmark {
    /** How many times as long as DuckDB's own all queries together may take. */
    private static final double TIME_MAX = 2;

    private static final double COMMITS_MIN = 0.8;
    private static final double SCANNED_PER_CORE_MIN = 1_000_000;
    private static final int ROWS_PER_COPY = 5_000;
    private static final int ACCOUNTS = 1_000;
    private static final int CLIENTS = 4;
    private static final String OURS = "petrichor";
    private static final String DUCKDB = "DuckDB";
    private static final String ALONE = "alone";
    private static final String BESIDE = "beside queries";

    private final SqlEndpoint server;
    private final Supplier<Duration> cpu;
    private final double scale;
    private final Path folder;
    private final Report report;
    private final Progress progress;

    /**
     * @param cpu of the server and its worker
     * @param folder for the files of both
     */
    public TpchBenchmark(
            SqlEndpoint server,
            Supplier<Duration> cpu,
            double scale,
            Path folder,
            Report report,
            Progress progress) {
        this.server = server;
        this.cpu = cpu;
        this.scale = scale;
        this.folder = folder;
        this.report = report;
        this.progress = progress;
    }

    public void measure(int rounds, Duration length) throws Exception {
        progress.say("generating TPC-H at scale " + scale);
        TpchData.write(folder, scale);
        try (Connection ours = server.connect();
                Connection duckdb =
                        DriverManager.getConnection(
                                "jdbc:duckdb:" + folder.resolve("native.duckdb"))) {
            execute(duckdb, "SET threads=" + AnalyticsSettings.defaultThreads());
            execute(duckdb, "SET memory_limit='1GiB'");
            load(ours, duckdb);
            execute(ours, "SET petrichor.engine = 'analytics'");
            firstScan(ours);
            queries(ours, duckdb, rounds);
            commits(ours, rounds, length);
        }
    }

    private String title(String what) {
        return "TPC-H, scale " + scale + ": " + what;
    }

    private void figure(String what, double value, String unit, String target, boolean met) {
        report.add(new Report.Figure(title(what), value, unit, target, met));
    }

    private static void execute(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean _ = statement.execute(text);
        }
    }

    private void load(Connection ours, Connection duckdb) throws Exception {
        for (String definition : TpchData.schema()) {
            execute(ours, definition);
            execute(duckdb, definition);
        }
        long rows = 0;
        long began = System.nanoTime();
        for (String table : TpchData.tables()) {
            rows += copy(ours, table, rows);
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        figure("rows loaded with COPY", rows / seconds, "rows/s", "none", true);
        for (String table : TpchData.tables()) {
            Path file = TpchData.file(folder, table);
            execute(duckdb, "COPY " + table + " FROM '" + file + "' (DELIMITER '|')");
        }
    }

    private long copy(Connection ours, String table, long before) throws IOException, SQLException {
        String command = "COPY " + table + " FROM STDIN (DELIMITER '|')";
        long rows = 0;
        try (BufferedReader lines = Files.newBufferedReader(TpchData.file(folder, table))) {
            StringBuilder batch = new StringBuilder();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                batch.append(line).append('\n');
                if (++rows % ROWS_PER_COPY == 0) {
                    copy(ours, command, batch);
                    progress.say(table + ": " + (before + rows) + " rows");
                }
            }
            copy(ours, command, batch);
        }
        return rows;
    }

    private static void copy(Connection ours, String command, StringBuilder batch)
            throws SQLException {
        if (batch.isEmpty()) {
            return;
        }
        byte[] bytes = batch.toString().getBytes(StandardCharsets.UTF_8);
        CopyIn copy = ours.unwrap(PGConnection.class).getCopyAPI().copyIn(command);
        copy.writeToCopy(bytes, 0, bytes.length);
        copy.endCopy();
        batch.setLength(0);
    }

    private void firstScan(Connection ours) throws SQLException {
        var _ = TpchRows.of(ours, "SELECT 1"); // starts the worker
        for (String table : List.of("lineitem", "orders")) {
            progress.say("first scan of " + table);
            Duration before = cpu.get();
            long began = System.nanoTime();
            String counted = TpchRows.of(ours, "SELECT count(*) FROM " + table).getFirst();
            double seconds = (System.nanoTime() - began) / 1e9;
            double used = cpu.get().minus(before).toNanos() / 1e9;
            long rows = Long.parseLong(counted);
            figure("first scan of " + table, rows / seconds, "rows/s", "none", true);
            double perCore = rows / used;
            figure(
                    "first scan of " + table + ", per core",
                    perCore,
                    "rows/s",
                    String.format(Locale.ROOT, "%.0f", SCANNED_PER_CORE_MIN),
                    perCore >= SCANNED_PER_CORE_MIN);
        }
    }

    private void queries(Connection ours, Connection duckdb, int rounds) throws Exception {
        int equal = 0;
        for (int number = 1; number <= TpchData.QUERIES; number++) {
            progress.say("comparing the rows of query " + number);
            String query = TpchData.query(number);
            boolean same = TpchRows.of(ours, query).equals(TpchRows.of(duckdb, query));
            if (!same) {
                report.note(title("query " + number + " has other rows than DuckDB's"));
            }
            equal += same ? 1 : 0;
        }
        figure("queries with DuckDB's rows", equal, "", "22", equal == TpchData.QUERIES);
        Map<Integer, List<Double>> here = new TreeMap<>();
        Map<Integer, List<Double>> there = new TreeMap<>();
        report.add(
                new Contest(
                                title("all queries"),
                                OURS,
                                List.of(
                                        new Contender(OURS, _ -> all(ours, here)),
                                        new Contender(DUCKDB, _ -> all(duckdb, there))),
                                Map.of(DUCKDB, 1 / TIME_MAX))
                        .run(rounds, Duration.ZERO, progress));
        for (int number = 1; number <= TpchData.QUERIES; number++) {
            String name = "query " + number;
            figure(name + ", " + OURS, median(here, number), "ms", "none", true);
            figure(name + ", " + DUCKDB, median(there, number), "ms", "none", true);
        }
    }

    private static Sample all(Connection connection, Map<Integer, List<Double>> times)
            throws SQLException {
        long began = System.nanoTime();
        for (int number = 1; number <= TpchData.QUERIES; number++) {
            long from = System.nanoTime();
            var _ = TpchRows.of(connection, TpchData.query(number));
            times.computeIfAbsent(number, _ -> new ArrayList<>())
                    .add((System.nanoTime() - from) / 1e6);
        }
        return Sample.ofRate(1e9 / (System.nanoTime() - began));
    }

    private static double median(Map<Integer, List<Double>> times, int number) {
        double[] sorted =
                times.getOrDefault(number, List.of()).stream()
                        .mapToDouble(Double::doubleValue)
                        .toArray();
        Arrays.sort(sorted);
        return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
    }

    /** Updates of single rows by several clients, alone and while queries run one after another. */
    private void commits(Connection queries, int rounds, Duration length) throws Exception {
        List<Connection> clients = new ArrayList<>();
        List<PreparedStatement> updates = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(server.connect());
            }
            execute(clients.getFirst(), "CREATE TABLE account (id INT PRIMARY KEY, n INT)");
            execute(
                    clients.getFirst(),
                    "INSERT INTO account SELECT x, 0 FROM generate_series(1, "
                            + ACCOUNTS
                            + ") AS g(x)");
            for (Connection client : clients) {
                updates.add(client.prepareStatement("UPDATE account SET n = n + 1 WHERE id = ?"));
            }
            report.add(
                    new Contest(
                                    title("commits, " + CLIENTS + " clients"),
                                    BESIDE,
                                    List.of(
                                            new Contender(ALONE, time -> updates(updates, time)),
                                            new Contender(
                                                    BESIDE,
                                                    time -> beside(queries, updates, time))),
                                    Map.of(ALONE, COMMITS_MIN))
                            .run(rounds, length, progress));
        } finally {
            for (Connection client : clients) {
                client.close();
            }
        }
    }

    /** Each client has rows of its own. */
    private static Sample updates(List<PreparedStatement> updates, Duration length)
            throws Exception {
        return ClosedLoop.run(
                CLIENTS,
                length,
                (client, _) -> {
                    int own = ThreadLocalRandom.current().nextInt(ACCOUNTS / CLIENTS) * CLIENTS;
                    PreparedStatement update = updates.get(client);
                    update.setInt(1, 1 + own + client);
                    int _ = update.executeUpdate();
                });
    }

    private static Sample beside(
            Connection queries, List<PreparedStatement> updates, Duration length) throws Exception {
        Thread running =
                Thread.ofPlatform()
                        .name("queries")
                        .start(
                                () -> {
                                    for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                                        query(queries, 1 + i % TpchData.QUERIES);
                                    }
                                });
        try {
            return updates(updates, length);
        } finally {
            running.interrupt();
            running.join();
        }
    }

    private static void query(Connection connection, int number) {
        try {
            var _ = TpchRows.of(connection, TpchData.query(number));
        } catch (SQLException failed) {
            throw new IllegalStateException("query " + number + " failed", failed);
        }
    }
}
