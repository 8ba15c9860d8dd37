package petrichor.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.FullEntity;
import com.google.cloud.datastore.IncompleteKey;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.Query;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MapReduce, also while the app and the server are killed; each task is handled twice at the same time. */
class MapReduceTest {
    private static final int TEXTS = 1_500;
    private static final int KILLS = 6;
    private static final int PUT_AT_ONCE = 500;

    private final Platform platform = Platform.shared();

    @BeforeEach
    void eachTaskTwiceAtOnce() throws IOException {
        Files.writeString(platform.twice, "");
    }

    @AfterEach
    void clean() throws IOException {
        Files.delete(platform.twice);
        assertThat(keys("PetrichorWorkflowBlock")).isEmpty();
        List<Key> totals = keys("Total");
        for (int from = 0; from < totals.size(); from += PUT_AT_ONCE) {
            platform.datastore.delete(
                    totals.subList(from, Math.min(totals.size(), from + PUT_AT_ONCE)).toArray(Key[]::new));
        }
    }

    private List<Key> keys(String kind) {
        List<Key> keys = new ArrayList<>();
        platform.datastore.run(Query.newKeyQueryBuilder().setKind(kind).build()).forEachRemaining(keys::add);
        return keys;
    }

    private static List<String> texts(long seed, int count, int words) {
        Random random = new Random(seed);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            StringBuilder text = new StringBuilder("ä");
            for (int word = 1; word < words; word++) {
                text.append(" w").append(random.nextInt(500));
            }
            texts.add(text.toString());
        }
        return texts;
    }

    private void store(List<String> texts, String namespace) {
        IncompleteKey key =
                IncompleteKey.newBuilder(App.PROJECT, "Text").setNamespace(namespace).build();
        for (int from = 0; from < texts.size(); from += PUT_AT_ONCE) {
            platform.datastore.put(
                    texts.subList(from, Math.min(texts.size(), from + PUT_AT_ONCE)).stream()
                            .map(text -> FullEntity.newBuilder(key).set("text", text).build())
                            .toArray(FullEntity[]::new));
        }
    }

    private static Map<String, Long> counted(List<String> texts) {
        Map<String, Long> counts = new TreeMap<>();
        for (String text : texts) {
            for (String word : text.split(" ")) {
                counts.merge(word, 1L, Long::sum);
            }
        }
        return counts;
    }

    private void assertTotals(Map<String, Long> expected) {
        List<Entity> totals = new ArrayList<>();
        platform.datastore
                .run(Query.newEntityQueryBuilder().setKind("Total").build())
                .forEachRemaining(totals::add);
        assertThat(totals).as("a total was stored twice, or is missing").hasSize(expected.size());
        assertThat(totals)
                .allSatisfy(
                        total ->
                                assertThat(total.getLong("count"))
                                        .isEqualTo(expected.get(total.getString("word"))));
    }

    @Test
    void wordsOfEntitiesAreCountedWithACombiner() {
        List<String> texts = texts(1, 300, 12);
        store(texts, "words");
        Call call =
                MapReduce.Plan.of(
                                Source.entities("Text", "words"),
                                Flows.Words.class,
                                Flows.Totals.class)
                        .combiner(Flows.Add.class)
                        .sharded(3, 2)
                        .call();
        MapReduce.Counts counts = platform.output(call, MapReduce.Counts.class);
        Map<String, Long> expected = counted(texts);
        assertThat(counts.items()).isEqualTo(300);
        assertThat(counts.keys()).isEqualTo(expected.size());
        assertThat(counts.pairs()).isBetween((long) expected.size(), 3L * expected.size());
        assertTotals(expected);
    }

    @Test
    void linesOfObjectsAreDividedByBytes() throws IOException {
        List<String> lines = texts(2, 2_000, 9);
        platform.post(
                "/storage/v1/b?project=" + App.PROJECT,
                "application/json",
                "{\"name\": \"lines-of-words\"}".getBytes());
        byte[] content = String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
        for (String name : List.of("a", "b")) {
            platform.post(
                    "/upload/storage/v1/b/lines-of-words/o?uploadType=media&name=" + name,
                    "text/plain",
                    content);
        }
        Source source = Source.lines("gs://lines-of-words/a", "gs://lines-of-words/b");
        Call call = MapReduce.Plan.of(source, Flows.LineWords.class, Flows.Totals.class).sharded(7, 3).call();
        assertThat(platform.output(call, MapReduce.Counts.class).items()).isEqualTo(2L * lines.size());
        Map<String, Long> expected = counted(lines);
        expected.replaceAll((word, count) -> 2 * count);
        assertTotals(expected);
    }

    @Test
    void emptySources() {
        Call call = MapReduce.Plan.of(Source.items(List.of()), Flows.Copies.class, Flows.Totals.class).call();
        assertThat(platform.output(call, MapReduce.Counts.class)).isEqualTo(new MapReduce.Counts(0, 0, 0));
    }

    @Test
    void aKilledAppAndAKilledServerChangeNothing() {
        List<String> texts = texts(14, TEXTS, 20);
        store(texts, "kills");
        Source source = Source.entities("Text", "kills");
        String id =
                platform.start(
                        MapReduce.Plan.of(source, Flows.Words.class, Flows.Totals.class)
                                .sharded(24, 12)
                                .call());
        kill(id, new Random(14), KILLS);
        MapReduce.Counts counts = platform.ended(id).output(MapReduce.Counts.class);
        Map<String, Long> expected = counted(texts);
        assertTotals(expected);
        assertThat(counts).isEqualTo(new MapReduce.Counts(TEXTS, 20L * TEXTS, expected.size()));
    }

    @Test
    void aFanOutSurvivesKills() {
        String id = platform.start(Call.of(Flows.SumOfSquares.class, 150));
        kill(id, new Random(5), 3);
        Map<?, ?> output = platform.ended(id).output(Map.class);
        assertThat(((Number) output.get("sum")).longValue()).isEqualTo(149L * 150 * 299 / 6);
    }

    /** Kills the app and the server in turn, each after a few more changes of the workflow. */
    private void kill(String id, Random random, int kills) {
        for (int killed = 0; killed < kills; killed++) {
            long goal = progress(id) + random.nextInt(1, 8);
            Platform.until(
                    () -> progress(id) >= goal || !runs(id) ? java.util.Optional.of(true) : java.util.Optional.empty());
            assertThat(runs(id))
                    .as("the workflow ended before all kills: give it more work")
                    .isTrue();
            Platform.Killable process = killed % 2 == 0 ? platform.app : platform.server;
            process.kill();
            process.start();
        }
    }

    private boolean runs(String id) {
        return platform.workflows.status(id).orElseThrow().runs();
    }

    /** A number that grows with each change. */
    private long progress(String id) {
        long sum = 0;
        var steps = platform.datastore.run(Query.newEntityQueryBuilder().setKind(StepEntity.KIND).build());
        while (steps.hasNext()) {
            StepEntity step = new StepEntity(steps.next());
            if (step.workflow().equals(id)) {
                sum += 1 + step.turn() + (step.state().equals(StepEntity.ENDED) ? 1 : 0);
            }
        }
        return sum;
    }
}
