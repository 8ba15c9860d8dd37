package petrichor.bench.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.bench.Progress;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksStore;

final class ComparisonTest {
    private static final Progress SILENT = new Progress(System.err, false);

    private static Plan plan(Duration longest) {
        return new Plan(
                List.of(Workload.values()), List.of(1, 4), 505, Duration.ofMillis(30), longest);
    }

    @Test
    void everyOperationIsMeasuredOnEveryStore(@TempDir Path folder) throws Exception {
        Plan plan = plan(Duration.ofMinutes(1));
        Findings findings;
        try (OpenStore memory = OpenStore.on("memory", MemoryStore.open());
                OpenStore embedded =
                        OpenStore.on("embedded", RocksStore.open(folder.resolve("data")))) {
            findings = new Comparison(plan, List.of(memory, embedded), SILENT).run();
        }
        assertThat(findings.loadings())
                .extracting(Findings.Loading::entities)
                .containsExactly(505, 505);
        for (String store : List.of("memory", "embedded")) {
            for (Plan.Task task : plan.tasks()) {
                Load.Result result = findings.point(store, task).orElseThrow().result();
                assertThat(result.failures()).as("%s, %s", store, task).isEmpty();
                assertThat(result.latencies().count()).as("%s, %s", store, task).isPositive();
            }
        }
        assertThat(findings.breakdowns()).hasSize(4);
        for (Findings.PutBreakdown one : findings.breakdowns()) {
            for (PutSteps.Step step : PutSteps.Step.values()) {
                assertThat(one.micros(step))
                        .as("%s of %d clients on %s", step, one.clients(), one.store())
                        .isBetween(0.001, 10e6);
            }
        }
        filesContainTheFindings(findings, folder.resolve("out"));
    }

    private static void filesContainTheFindings(Findings findings, Path out) throws Exception {
        new FindingsFiles(findings).write(out);
        new FindingsPage(findings).write(out);
        assertThat(Files.readAllLines(out.resolve("stores.csv")))
                .hasSize(findings.points().size() + 1);
        String page = Files.readString(out.resolve("stores.html"));
        assertThat(page)
                .contains("composite query", "durable step")
                .doesNotContain("http://www.w3.org/1999/xlink", "src=", "href=", "@import", "NaN");
        var drawing =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(out.resolve("stores.svg").toFile());
        assertThat(drawing.getElementsByTagName("polyline").getLength()).isGreaterThan(20);
        ByteArrayOutputStream table = new ByteArrayOutputStream();
        new FindingsText(findings, new PrintStream(table, true, StandardCharsets.UTF_8)).print();
        assertThat(table.toString(StandardCharsets.UTF_8))
                .contains("put, transaction", "put, notrans", "embedded", "read the old row");
    }

    @Test
    void queriesFindTheExpectedEntities() {
        try (OpenStore store = OpenStore.on("memory", MemoryStore.open())) {
            Families families = Families.of(store.calls().project(), 1_010);
            for (int parent = 0; parent < families.parents(); parent++) {
                store.calls().put(families.family(parent));
            }
            SplittableRandom random = new SplittableRandom(1);
            assertThat(store.calls().query(families.ancestor(random))).isEqualTo(100);
            int property = 0;
            int composite = 0;
            int kindless = 0;
            for (int i = 0; i < 50; i++) {
                property += store.calls().query(families.property(random));
                composite += store.calls().query(families.composite(random));
                kindless += store.calls().query(families.kindless(random));
            }
            assertThat(kindless).isEqualTo(50 * 100);
            assertThat(property).isGreaterThan(40 * 100);
            // A tenth of a thousand children have the requested second number, and half of those a
            // greater first one.
            assertThat(composite).isBetween(50 * 30, 50 * 70);
        }
    }

    @Test
    void aRunEndsInTime() {
        long began = System.nanoTime();
        Plan plan =
                new Plan(
                        List.of(Workload.GET, Workload.PUT),
                        List.of(1, 4),
                        10_000_000,
                        Duration.ofSeconds(100),
                        Duration.ofSeconds(8));
        Findings findings;
        try (OpenStore memory = OpenStore.on("memory", MemoryStore.open())) {
            findings = new Comparison(plan, List.of(memory), SILENT).run();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(90));
        assertThat(findings.points()).hasSize(8);
        assertThat(String.join("\n", findings.notes()))
                .contains("--max-minutes", "memory holds only");
    }

    @Test
    void aFailingStoreIsReportedAndTheOthersAreMeasured() {
        KeyValueStore away = MemoryStore.open();
        Plan plan =
                new Plan(
                        List.of(Workload.GET),
                        List.of(1),
                        505,
                        Duration.ofMillis(20),
                        Duration.ofMinutes(1));
        Findings findings;
        try (OpenStore memory = OpenStore.on("memory", MemoryStore.open())) {
            OpenStore broken = OpenStore.on("broken", away);
            away.close();
            findings = new Comparison(plan, List.of(broken, memory), SILENT).run();
        }
        assertThat(findings.points())
                .extracting(Findings.Point::store)
                .containsOnly("memory")
                .hasSize(2);
        assertThat(findings.notes().getFirst()).startsWith("broken was not measured");
    }

    @Test
    void theRunLeavesNothingInTheStore(@TempDir Path folder) {
        try (OpenStore store = OpenStore.on("first", RocksStore.open(folder))) {
            store.calls().put(Families.of(store.calls().project(), 101).family(0));
            assertThat(store.databases().names()).hasSize(1);
            store.drop();
        }
        try (OpenStore again = OpenStore.on("again", RocksStore.open(folder))) {
            assertThat(again.databases().names()).isEmpty();
        }
    }

    @Test
    void addressesMayContainCommas() {
        assertThat(OpenStores.words("redis://127.0.0.1:1/a,memory,cassandra://a:1,b:2/x,embedded"))
                .containsExactly(
                        "redis://127.0.0.1:1/a", "memory", "cassandra://a:1,b:2/x", "embedded");
        assertThat(OpenStores.words("")).isEmpty();
    }

    @Test
    void invalidOptionsAreRefused() {
        assertThatThrownBy(() -> Workload.of("scan"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("noop, get, put, delete, mix, query");
        assertThatThrownBy(
                        () ->
                                new Plan(
                                        List.of(Workload.GET),
                                        List.of(0),
                                        1,
                                        Duration.ofSeconds(1),
                                        Duration.ofSeconds(1)))
                .hasMessageContaining("1 to 10000");
    }
}
