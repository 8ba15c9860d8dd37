package petrichor.bench.sql.tpcc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import petrichor.bench.ClosedLoop;
import petrichor.bench.Contender;
import petrichor.bench.Contest;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.bench.Sample;
import petrichor.bench.sql.SqlEndpoint;

/**
 * The full mix, serializable, without think times, at both servers in turn. Afterwards the
 * consistency conditions are checked at both.
 */
public final class TpccBenchmark {
    private static final double TARGET = 0.7;
    private static final int VIOLATIONS_SHOWN_MAX = 5;

    private final SqlEndpoint ours;
    private final SqlEndpoint other;
    private final TpccScale scale;

    public TpccBenchmark(SqlEndpoint ours, SqlEndpoint other, TpccScale scale) {
        this.ours = ours;
        this.other = other;
        this.scale = scale;
    }

    public void measure(
            Report report, List<Integer> clients, int rounds, Duration length, Progress progress)
            throws Exception {
        for (SqlEndpoint server : List.of(ours, other)) {
            load(server, scale, progress);
        }
        for (int count : clients) {
            contest(report, count, rounds, length, progress);
        }
        for (SqlEndpoint server : List.of(ours, other)) {
            progress.say(server + ": checking the consistency conditions");
            List<String> violations = check(server);
            report.add(
                    new Report.Figure(
                            "TPC-C, " + warehouses() + ": violated conditions at " + server,
                            violations.size(),
                            "",
                            "0",
                            violations.isEmpty()));
            violations.stream().limit(VIOLATIONS_SHOWN_MAX).forEach(report::note);
        }
    }

    /** Fills a server. */
    static void load(SqlEndpoint server, TpccScale scale, Progress progress) throws SQLException {
        try (Connection connection = server.connect()) {
            new TpccLoader(connection, scale, what -> progress.say(server + ": " + what)).load();
        }
    }

    static List<String> check(SqlEndpoint server) throws SQLException {
        try (Connection connection = server.connect()) {
            return TpccConsistency.violations(connection);
        }
    }

    private String warehouses() {
        return scale.warehouses() + (scale.warehouses() == 1 ? " warehouse" : " warehouses");
    }

    private void contest(Report report, int clients, int rounds, Duration length, Progress progress)
            throws Exception {
        Map<SqlEndpoint, LongAdder> retries = new HashMap<>();
        Map<SqlEndpoint, LongAdder> done = new HashMap<>();
        List<Contender> contenders = new ArrayList<>();
        try (Terminals here = new Terminals();
                Terminals there = new Terminals()) {
            for (SqlEndpoint server : List.of(ours, other)) {
                LongAdder conflicts = new LongAdder();
                LongAdder transactions = new LongAdder();
                retries.put(server, conflicts);
                done.put(server, transactions);
                Terminals terminals = server.equals(ours) ? here : there;
                terminals.open(server, scale, clients, conflicts);
                contenders.add(
                        new Contender(
                                server.name(),
                                time -> terminals.run(time, transactions),
                                server.cpu()));
            }
            String name =
                    "TPC-C, "
                            + warehouses()
                            + ", "
                            + clients
                            + (clients == 1 ? " client" : " clients");
            report.add(
                    new Contest(name, ours.name(), contenders, Map.of(other.name(), TARGET))
                            .run(rounds, length, progress));
            for (SqlEndpoint server : List.of(ours, other)) {
                report.add(
                        new Report.Figure(
                                name + ": retries at " + server,
                                100.0 * count(retries, server) / Math.max(1, count(done, server)),
                                "% of transactions",
                                "none",
                                true));
            }
        }
    }

    private static long count(Map<SqlEndpoint, LongAdder> counts, SqlEndpoint server) {
        LongAdder counted = counts.get(server);
        return counted == null ? 0 : counted.sum();
    }

    /** The connections of all clients to one server. */
    static final class Terminals implements AutoCloseable {
        private final List<TpccClient> clients = new ArrayList<>();

        void open(SqlEndpoint server, TpccScale scale, int count, LongAdder retries)
                throws SQLException {
            for (int i = 0; i < count; i++) {
                int home = i % scale.warehouses() + 1;
                clients.add(new TpccClient(server.connect(), scale, home, i, retries));
            }
        }

        Sample run(Duration length, LongAdder transactions) throws Exception {
            return ClosedLoop.run(
                    clients.size(),
                    length,
                    (client, _) -> {
                        clients.get(client).transaction();
                        transactions.increment();
                    });
        }

        @Override
        public void close() throws SQLException {
            for (TpccClient client : clients) {
                client.close();
            }
        }
    }
}
