package petrichor.testing.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.entities.EntityDatabase;
import petrichor.jobs.entities.EntitySink;
import petrichor.jobs.entities.QuerySource;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.testkit.Rows;
import petrichor.testing.process.PetrichorServer;

/** Tests entities as sources and sinks of jobs, with a server in a separate process. */
final class EntityJobsTest {
    private static final int ITEMS = 5_000;
    private static final Field KEY = Field.text("__key__");
    private static final Field NUMBER = Field.int64("number");
    private static final RecordType NUMBERED = RecordType.of(KEY, NUMBER);

    private static PetrichorServer server;

    @TempDir Path temporary;
    private EntityDatabase database;
    private Items items;

    @BeforeAll
    static void start(@TempDir Path folder) {
        server = PetrichorServer.start(List.of("--memory"), Map.of(), folder.resolve("log"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Each test has its own project. */
    @BeforeEach
    void open(TestInfo test) {
        open(server, test.getTestMethod().orElseThrow().getName());
    }

    private void open(PetrichorServer of, String project) {
        database = EntityDatabase.of("localhost", of.port(), project.toLowerCase(Locale.ROOT));
        items = new Items(database);
    }

    @AfterEach
    void close() {
        items.close();
    }

    @Test
    void aKindIsReadInParts() {
        items.write(0, ITEMS);
        var source = QuerySource.ofKind(database, Items.KIND, KEY, NUMBER);

        assertThat(source.entities()).isEqualTo(ITEMS);
        assertThat(source.splits(4)).hasSize(4);
        assertThat(source.splits(4)).isEqualTo(source.splits(4));
        assertThat(source.splits(1_000)).hasSize(ITEMS / 1_000);
        assertThat(read(source)).isEqualTo(expected(0, ITEMS));
    }

    @Test
    void allSplitsReadAtTheCreationTimeOfTheSource() {
        items.write(0, ITEMS);
        var source = QuerySource.ofKind(database, Items.KIND, KEY, NUMBER);
        items.write(ITEMS, ITEMS + 1_000);
        for (int item = 0; item < ITEMS; item += 100) {
            items.change(item, -1);
            items.remove(item + 1);
        }

        assertThat(read(source)).isEqualTo(expected(0, ITEMS));
        assertThat(read(QuerySource.ofKind(database, Items.KIND, KEY, NUMBER)))
                .hasSize(ITEMS + 1_000 - ITEMS / 100)
                .contains("(000000, -1)");
        assertThat(read(QuerySource.ofKind(database, Items.KIND, KEY, NUMBER).at(source.moment())))
                .isEqualTo(expected(0, ITEMS));
    }

    @Test
    void aQueryInGqlIsReadInItsParts() {
        items.write(0, ITEMS);
        var gql = "SELECT * FROM Item WHERE group = 3";
        var source = QuerySource.ofGql(database, gql, KEY, NUMBER);
        int found = (int) IntStream.range(0, ITEMS).filter(n -> n % Items.GROUPS == 3).count();

        assertThat(source.entities()).isEqualTo(found);
        // Sources with fewer than a thousand entities are not split.
        assertThat(source.splits(4)).hasSize(1);
        assertThat(read(source)).hasSize(found).contains("(000003, 3)").doesNotHaveDuplicates();
    }

    @Test
    void aLimitAndAnOffsetCountOverAllPages() {
        items.write(0, ITEMS);
        var gql = "SELECT * FROM Item ORDER BY number DESC LIMIT 1000 OFFSET 400";
        var source = QuerySource.ofGql(database, gql, KEY, NUMBER);

        assertThat(read(source)).isEqualTo(expected(ITEMS - 1_400, ITEMS - 400));
    }

    @Test
    void everyTypeRoundTrips() {
        var type =
                RecordType.of(
                        Field.int64("__key__"),
                        Field.bool("bool"),
                        Field.int32("int32"),
                        Field.int64("int64"),
                        Field.float64("float64"),
                        Field.text("text"),
                        Field.bytes("bytes"));
        var records =
                Rows.of(
                        type,
                        2,
                        (record, i) -> {
                            record.int64(0, i + 1);
                            if (i == 0) {
                                record.bool(1, true)
                                        .int32(2, Integer.MIN_VALUE)
                                        .int64(3, Long.MAX_VALUE)
                                        .float64(4, -0.1)
                                        .text(5, "Évora")
                                        .bytes(6, new byte[] {0, -1});
                            }
                        });
        write(type, records, EntitySink.ofKind(database, "Every").unindexed("text"));

        var fields = type.fields().toArray(new Field[0]);
        assertThat(read(QuerySource.ofKind(database, "Every", fields)))
                .isEqualTo(records.stream().map(RecordView::toString).toList());
    }

    @Test
    void aRerunReplacesEntitiesWithKeys() {
        items.write(0, ITEMS);
        for (int run = 0; run < 2; run++) {
            var plan = Plan.named("groups").parallelism(2);
            plan.read(QuerySource.ofKind(database, Items.KIND, Field.int64("group"), NUMBER))
                    .groupBy("group")
                    .aggregate(Aggregate.sum(1))
                    .map(
                            "entities",
                            RecordType.of(Field.int64("__key__"), Field.int64("sum")),
                            (in, out) ->
                                    out.record().int64(0, in.int64(0) + 1).copy(1, in, 1).emit())
                    .write(EntitySink.ofKind(database, "Sum"));
            Jobs.local().run(plan);
        }

        var sums = new long[Items.GROUPS];
        IntStream.range(0, ITEMS).forEach(n -> sums[n % Items.GROUPS] += n);
        assertThat(
                        read(
                                QuerySource.ofKind(
                                        database,
                                        "Sum",
                                        Field.int64("__key__"),
                                        Field.int64("sum"))))
                .isEqualTo(
                        IntStream.range(0, Items.GROUPS)
                                .mapToObj(group -> "(" + (group + 1) + ", " + sums[group] + ")")
                                .toList());
    }

    @Test
    void recordsWithoutKeysBecomeNewEntitiesInEveryRun() {
        var type = RecordType.of(NUMBER);
        var records = Rows.of(type, 1_200, (record, i) -> record.int64(0, i));
        var sink = EntitySink.ofKind(database, "New");
        write(type, records, sink);
        write(type, records, sink);

        var ids = read(QuerySource.ofKind(database, "New", Field.int64("__key__")));
        assertThat(ids).hasSize(2_400).doesNotHaveDuplicates();
    }

    @Test
    void aJobThatFailsWritesNoneAndLeavesNoFile() {
        var records = Rows.of(NUMBERED, 2_000, (r, i) -> r.text(0, "n" + i).int64(1, i));
        var staging = temporary.resolve("staging");
        var sink = new EntitySink(database, "Never", Set.of(), staging.toString());
        var plan = Plan.named("breaks").parallelism(2);
        plan.read(new Rows.ListSource("numbers", NUMBERED, new ArrayList<>(records)))
                .map(
                        "divide",
                        NUMBERED,
                        (in, out) ->
                                out.record()
                                        .copy(0, in, 0)
                                        .int64(1, 1 / (1_999 - in.int64(1)))
                                        .emit())
                .write(sink);

        assertThatThrownBy(() -> Jobs.local().run(plan)).hasMessageContaining("divide");
        assertThat(QuerySource.ofKind(database, "Never", KEY).entities()).isZero();
        assertThat(staging).doesNotExist();
    }

    @Test
    void mismatchesAreReported() {
        items.write(0, 3);
        var source = QuerySource.ofKind(database, Items.KIND, Field.text("number"));

        assertThatThrownBy(() -> read(source))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("property number of Item \"000000\" is 0")
                .hasMessageContaining("TEXT");
    }

    @Test
    void aServerThatDiesEarlyFailsTheJobWhichCanRunAgain() {
        var durable = List.of("--data", temporary.resolve("data").toString());
        var log = temporary.resolve("log");
        var staging = temporary.resolve("staging");
        try (var dying = PetrichorServer.start(durable, Map.of(), log)) {
            close();
            open(dying, "dying");
            items.write(0, ITEMS);
            var sink = new EntitySink(database, "Copy", Set.of(), staging.toString());

            assertThatThrownBy(() -> copy(new LateSink(sink, dying::kill)))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("0 entities were written to Copy");
            assertThat(staging).doesNotExist();
        }
        try (var again = PetrichorServer.start(durable, Map.of(), log)) {
            close();
            open(again, "dying");
            copy(EntitySink.ofKind(database, "Copy"));
            assertThat(read(QuerySource.ofKind(database, "Copy", KEY, NUMBER)))
                    .isEqualTo(expected(0, ITEMS));
        }
    }

    private void copy(Sink sink) {
        var plan = Plan.named("copy").parallelism(2);
        plan.read(QuerySource.ofKind(database, Items.KIND, KEY, NUMBER)).write(sink);
        Jobs.local().run(plan);
    }

    @Test
    void aDatabaseThatWasNeverWrittenToHasNoEntities() {
        assertThat(read(QuerySource.ofKind(database, Items.KIND, KEY))).isEmpty();
        assertThat(read(QuerySource.ofGql(database, "SELECT * FROM Item LIMIT 5", KEY))).isEmpty();
    }

    private static void write(RecordType type, List<RecordView> records, EntitySink sink) {
        var plan = Plan.named("write").parallelism(2);
        plan.read(new Rows.ListSource("rows", type, new ArrayList<>(records))).write(sink);
        Jobs.local().run(plan);
    }

    /** The records that a job reads from a source, ordered by their texts. */
    private static List<String> read(QuerySource source) {
        var sink = new Rows.ListSink("read");
        var plan = Plan.named("read").parallelism(3);
        plan.read(source).write(sink);
        Jobs.local().run(plan);
        return sink.sortedRows();
    }

    private static List<String> expected(int from, int to) {
        return IntStream.range(from, to).mapToObj("(%06d, %1$d)"::formatted).toList();
    }
}
