package petrichor.bench.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.kv.StoreUrl;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

final class TransferringTest {
    private static final Progress SILENT = new Progress(System.err, false);

    @Test
    void transfersPreserveTheSum() throws Exception {
        try (OpenStore store = OpenStore.on("memory", MemoryStore.open())) {
            Accounts accounts = new Accounts(store.rows());
            accounts.load(20);
            Accounts.Transfers made = accounts.transfer(16, 3, Duration.ofMillis(300));
            assertThat(made.sample().perSecond()).isPositive();
            assertThat(made.slowestShare()).isBetween(0.0, 1.0);
            assertThat(accounts.sum(20)).isEqualTo(Accounts.sumAtFirst(20));
        }
    }

    @Test
    void loadingAgainResetsTheRows() throws Exception {
        try (OpenStore store = OpenStore.on("memory", MemoryStore.open())) {
            Accounts accounts = new Accounts(store.rows());
            accounts.load(600);
            accounts.load(600);
            assertThat(accounts.sum(600)).isEqualTo(Accounts.sumAtFirst(600));
        }
    }

    @Test
    void lostMoneyIsReported() throws Exception {
        try (OpenStore store = OpenStore.on("memory", MemoryStore.open())) {
            Accounts accounts = new Accounts(store.rows());
            Transferring transferring = new Transferring("memory", accounts, List.of());
            transferring.measure(new Report(), 1, Duration.ofMillis(5), SILENT);
            take(store.rows());
            assertThatThrownBy(transferring::requireNothingLost)
                    .hasMessageContaining("not isolated");
        }
    }

    /** Takes almost everything from a row. */
    private static void take(Database database) {
        byte[] key = Accounts.key(7);
        try (Snapshot snapshot = database.snapshot()) {
            Row row = snapshot.get(key);
            assertThat(
                            database.commit(
                                            new CommitRequest(
                                                    snapshot.version(),
                                                    List.of(),
                                                    List.of(),
                                                    List.of(key),
                                                    List.of(
                                                            new RowWrite(
                                                                    key, Accounts.value(1), row))))
                                    .join())
                    .isInstanceOf(CommitResult.Committed.class);
        }
    }

    @Test
    void theBareDriverIsComparedWithTransactions(@TempDir Path folder) throws Exception {
        Report report = new Report();
        try (OpenStore store = OpenStore.on("memory", MemoryStore.open());
                RocksRawRows raw = new RocksRawRows(folder)) {
            new DriverComparison(store, raw).measure(report, 1, Duration.ofMillis(5), SILENT);
        }
        ByteArrayOutputStream table = new ByteArrayOutputStream();
        report.print(new PrintStream(table, true, StandardCharsets.UTF_8));
        assertThat(table.toString(StandardCharsets.UTF_8))
                .contains(
                        "memory: read, 1 client",
                        "memory: read, 64 clients",
                        "memory: put, 1 client",
                        "memory: put, 64 clients",
                        "bare driver",
                        "target at most 2");
    }

    @Test
    void progressNamesTheMeasurement(@TempDir Path folder) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Progress progress = new Progress(new PrintStream(said, true, StandardCharsets.UTF_8), true);
        Duration length = Duration.ofMillis(5);
        try (OpenStore store = OpenStore.on("memory", MemoryStore.open());
                RocksRawRows raw = new RocksRawRows(folder)) {
            new DriverComparison(store, raw).measure(new Report(), 1, length, progress);
            new Transferring("memory", new Accounts(store.rows()), List.of())
                    .measure(new Report(), 1, length, progress);
        }
        assertThat(said.toString(StandardCharsets.UTF_8))
                .contains(
                        "loading by the bare driver, 500 of 20000 rows: memory",
                        "loading in transactions, 20000 of 20000 rows: memory",
                        "memory: put, 64 clients, round 1 of 1, bare driver",
                        "loading 10000 rows: memory",
                        "memory: two of 10 hot rows, round 1 of 1",
                        "adding up 10000 rows: memory");
    }

    @Test
    void scalarDbGetsTheSameServer() {
        Map<String, String> postgres =
                TransferPeer.scalarDb(
                                StoreUrl.parse("postgresql://ann:secret@127.0.0.1:5433/petrichor"))
                        .orElseThrow();
        assertThat(postgres)
                .contains(
                        entry("scalar.db.storage", "jdbc"),
                        entry(
                                "scalar.db.contact_points",
                                "jdbc:postgresql://127.0.0.1:5433/petrichor"),
                        entry("scalar.db.username", "ann"),
                        entry("scalar.db.password", "secret"),
                        entry("scalar.db.consensus_commit.isolation_level", "SERIALIZABLE"));
        Map<String, String> cassandra =
                TransferPeer.scalarDb(StoreUrl.parse("cassandra://127.0.0.2:9043/petrichor"))
                        .orElseThrow();
        assertThat(cassandra)
                .contains(
                        entry("scalar.db.contact_points", "127.0.0.2"),
                        entry("scalar.db.contact_port", "9043"));
        assertThat(TransferPeer.scalarDb(StoreUrl.parse("redis://127.0.0.1/petrichor"))).isEmpty();
        assertThat(TransferPeer.sql(StoreUrl.parse("postgresql://127.0.0.1/petrichor")))
                .hasValueSatisfying(sql -> assertThat(sql).containsEntry("transfers.by", "sql"));
        assertThat(TransferPeer.sql(StoreUrl.parse("cassandra://127.0.0.2/petrichor"))).isEmpty();
    }
}
