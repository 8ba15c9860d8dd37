package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.tuples.CollectionClient;
import petrichor.client.tuples.CollectionPlacement;
import petrichor.client.tuples.CollectionState;
import petrichor.client.tuples.FoundTuple;
import petrichor.client.tuples.MutationOutcome;
import petrichor.client.tuples.TagQuery;
import petrichor.client.tuples.TupleMutation;
import petrichor.client.tuples.TuplesClient;
import petrichor.server.config.ServerConfig;

/** The Java client of tuples, against a real server. */
final class TuplesClientTest {
    private static final CollectionPlacement ORDERED = new CollectionPlacement.Ordered();

    @SuppressWarnings("NullAway.Init")
    private static Server server;

    @SuppressWarnings("NullAway.Init")
    private TuplesClient client;

    @BeforeAll
    static void start() {
        server = Server.start(ServerConfig.defaults().withMemory().withPort(0));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void connect(TestInfo test) {
        String project = "p" + Integer.toUnsignedString(test.getDisplayName().hashCode());
        client = TuplesClient.of("http://localhost:" + server.port(), project);
    }

    @AfterEach
    void close() {
        client.close();
    }

    private static List<CollectionPlacement> placements() {
        return List.of(
                new CollectionPlacement.Random(4),
                ORDERED,
                new CollectionPlacement.Tagged(List.of("a", "b"), 4),
                new CollectionPlacement.Affinity("/", 16),
                new CollectionPlacement.Colocated("hosts", "/"));
    }

    @ParameterizedTest
    @MethodSource("placements")
    void tuplesAreWrittenReadFoundAndDeleted(CollectionPlacement placement) {
        var _ = client.create("hosts", ORDERED);
        CollectionClient numbers = client.create("numbers", placement);
        assertThat(numbers.state().placement()).isEqualTo(placement);
        Map<String, String> expected = new TreeMap<>();
        for (int page = 0; page < 3; page++) {
            var mutations = new ArrayList<TupleMutation>();
            for (int k = page * 200; k < (page + 1) * 200; k++) {
                String key = "k/%04d ü".formatted(k);
                expected.put(key, "v" + k);
                Set<String> tags = Set.of("a=" + k % 10, "b=%04d".formatted(k));
                mutations.add(numbers.putting(key, ByteString.copyFromUtf8("v" + k), tags));
            }
            assertThat(client.write(mutations))
                    .extracting(MutationOutcome::state)
                    .containsOnly(MutationOutcome.State.CREATED);
        }
        Map<String, String> found = new TreeMap<>();
        numbers.scan().forEach(one -> found.put(one.key(), one.value().toStringUtf8()));
        assertThat(found).isEqualTo(expected);
        assertThat(numbers.scan("k/0100", "k/0103").map(FoundTuple::key))
                .containsExactly("k/0100 ü", "k/0101 ü", "k/0102 ü");
        assertThat(numbers.scan("k/059")).hasSize(10);
        assertThat(numbers.get(new ArrayList<>(expected.keySet())))
                .extracting(FoundTuple::key)
                .containsExactlyElementsOf(expected.keySet());
        assertThat(numbers.find(TagQuery.all("a=3", "b=0500..0599")))
                .hasSize(10)
                .allMatch(one -> one.tags().contains("a=3"));
        assertThat(numbers.find(TagQuery.any("b=000*").andAny("b=0011"))).hasSize(11);
        assertThat(numbers.delete("k/0000 ü")).isTrue();
        assertThat(numbers.delete("k/0000 ü")).isFalse();
        assertThat(numbers.delete(TagQuery.all("b=*"))).isEqualTo(599);
        assertThat(numbers.scan()).isEmpty();
        numbers.drop();
        assertThat(client.collections()).extracting(CollectionState::name).containsOnly("hosts");
        client.collection("hosts").drop();
    }

    @Test
    void conditionsAreMetOrReported() {
        CollectionClient tuples = client.create("c", ORDERED);
        long first = tuples.put("k", "one", "a=1", "hot");
        var absent = tuples.putting("k", ByteString.EMPTY, Set.of()).ifAbsent();
        var other = tuples.putting("other", ByteString.EMPTY, Set.of());
        assertThatThrownBy(() -> client.write(List.of(other, absent)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failed -> assertThat(failed.code()).isEqualTo(ErrorCode.ABORTED))
                .hasMessageContaining("the tuple k does not meet its condition");
        assertThat(tuples.get("other")).isEmpty();
        assertThat(client.writeEach(List.of(other, absent)))
                .extracting(MutationOutcome::state)
                .containsExactly(
                        MutationOutcome.State.CREATED, MutationOutcome.State.CONDITION_NOT_MET);
        FoundTuple read = tuples.get("k").orElseThrow();
        assertThat(read)
                .isEqualTo(
                        new FoundTuple(
                                "k", ByteString.copyFromUtf8("one"), Set.of("a=1", "hot"), first));
        var replaced = tuples.putting("k", ByteString.EMPTY, Set.of()).ifRevision(first);
        assertThat(client.write(List.of(replaced)).getFirst().revision()).isGreaterThan(first);
        assertThatThrownBy(() -> client.write(List.of(tuples.deleting("none").ifPresent())))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void placementsChangeWhileTuplesStay() {
        CollectionClient tuples = client.create("c", ORDERED, false);
        assertThat(tuples.state().tagIndex()).isFalse();
        var _ = tuples.put("ann/1", "one", "a=1", "b=2");
        tuples.assign(Map.of("ann", 7));
        var affinity = new CollectionPlacement.Affinity("/", 16);
        CollectionState state = tuples.place(affinity);
        while (state.next().isPresent()) {
            state = tuples.state();
        }
        assertThat(state.placement()).isEqualTo(affinity);
        assertThat(state.failure()).isEmpty();
        assertThat(tuples.get("ann/1")).isPresent();
    }

    @Test
    void failuresHaveTheServersCodes() {
        assertFails(ErrorCode.NOT_FOUND, () -> client.collection("none").put("k", "v"));
        var _ = client.create("c", ORDERED);
        assertFails(ErrorCode.ALREADY_EXISTS, () -> client.create("c", ORDERED));
        assertFails(
                ErrorCode.INVALID_ARGUMENT, () -> client.collection("c").get("k".repeat(10_000)));
        try (TuplesClient unreachable = TuplesClient.of("http://localhost:1", "p")) {
            assertFails(ErrorCode.UNAVAILABLE, unreachable::collections);
        }
    }

    private static void assertFails(ErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failed -> assertThat(failed.code()).isEqualTo(code));
    }

    @Test
    @Tag("slow")
    void theExampleRuns() throws IOException, InterruptedException {
        Process example =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                "../examples/tuples/Tweets.java",
                                "http://localhost:" + server.port())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(example.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(example.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("14 tweets of those that ann follows")
                .contains("mentions of ann: ann/05 ann/07 bob/05 bob/07 cy/05 cy/07")
                .contains("deleted 6");
    }
}
