package petrichor.bench.sql.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import petrichor.bench.Progress;
import petrichor.bench.sql.OpenLogins;
import petrichor.bench.sql.SqlEndpoint;
import petrichor.frontends.postgres.PostgresFrontEnd;
import petrichor.frontends.postgres.PostgresSettings;
import petrichor.kv.memory.MemoryStore;
import petrichor.sql.SqlDatabase;
import petrichor.transactions.databases.RowDatabases;

/** The mix on little data, at a server in this process. */
final class TpccTest {
    private static final TpccScale LITTLE = new TpccScale(2, 20, 10, 4);
    private static final int TRANSACTIONS = 25;

    @Test
    void dataIsConsistentAfterTheMixAndWrongDataIsFound() throws Exception {
        try (MemoryStore store = MemoryStore.open();
                RowDatabases rows = new RowDatabases(store);
                SqlDatabase database = SqlDatabase.open(rows.open("bench"));
                PostgresFrontEnd frontEnd =
                        PostgresFrontEnd.open(
                                PostgresSettings.plain(SqlEndpoint.HOST, 0),
                                new OpenLogins(database))) {
            SqlEndpoint server =
                    new SqlEndpoint("petrichor", frontEnd.port(), "bench", "", "bench", null);
            TpccBenchmark.load(server, LITTLE, new Progress(System.err, false));
            assertThat(TpccBenchmark.check(server)).isEmpty();

            LongAdder retries = new LongAdder();
            Thread[] clients = new Thread[2];
            LongAdder done = new LongAdder();
            for (int i = 0; i < clients.length; i++) {
                int home = i + 1;
                clients[i] = Thread.ofPlatform().start(() -> run(server, home, retries, done));
            }
            for (Thread client : clients) {
                client.join();
            }
            assertThat(done.sum()).isEqualTo((long) clients.length * TRANSACTIONS);
            assertThat(TpccBenchmark.check(server)).isEmpty();

            try (Connection connection = server.connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("update warehouse set w_ytd = w_ytd + 1 where w_id = 2");
            }
            assertThat(TpccBenchmark.check(server))
                    .hasSize(2)
                    .allMatch(violation -> violation.contains("warehouse 2"));
        }
    }

    private static void run(SqlEndpoint server, int home, LongAdder retries, LongAdder done) {
        try (TpccClient client = new TpccClient(server.connect(), LITTLE, home, home, retries)) {
            for (int i = 0; i < TRANSACTIONS; i++) {
                client.transaction();
                done.increment();
            }
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }
}
