package petrichor.tuples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.placement.advisor.Choice.Priced;
import petrichor.placement.advisor.Cost;
import petrichor.placement.advisor.Estimate;
import petrichor.placement.advisor.NodeTime;
import petrichor.placement.advisor.OperationKind;
import petrichor.transactions.databases.RowDatabases;
import petrichor.tuples.TupleStore.Paging;

/** The advisor's estimates beside what tuples really read, and its choices beside the best ones. */
final class PlacementAdvisorTest {
    private static final int NODES = 20;

    /** Operations of a kind whose means differ little from those of half of them. */
    private static final int ENOUGH = 300;

    private static final PlacementAdvisor ADVISOR = new PlacementAdvisor(NODES, NodeTime.DEFAULT);

    private final MemoryStore memory = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(memory);
    private final TupleStore store = new TupleStore(databases.open("p"), new java.util.Random(1));

    @AfterEach
    void close() {
        databases.close();
        memory.close();
    }

    private static Estimate.Kind kind(Priced<PlacementOption> option, OperationKind kind) {
        return java.util.Objects.requireNonNull(option.estimate().kinds().get(kind));
    }

    @Test
    void estimatesAreWhatTheStoreReads() {
        assertEstimates(1);
    }

    @Test
    @org.junit.jupiter.api.Tag("slow")
    void estimatesOfAnotherMixAreWhatTheStoreReads() {
        assertEstimates(2);
    }

    private void assertEstimates(long seed) {
        GeneratedWorkload workload = GeneratedWorkload.of(seed, 1_500);
        String name = "c" + seed;
        var _ = store.create(name, new TuplePlacement.Ordered(), true);
        workload.load(store, name);
        workload.run(store, name);
        Priced<PlacementOption> current = ADVISOR.advise(store, name).choice().current();
        Estimate truth = workload.truth(store, name, NODES);
        truth.kinds()
                .forEach(
                        (kind, real) -> {
                            if (real.operations() < ENOUGH) {
                                return;
                            }
                            Cost estimated = kind(current, kind).cost();
                            assertClose(estimated.nodes(), real.cost().nodes());
                            assertClose(estimated.messages(), real.cost().messages());
                            assertClose(estimated.rowsRead(), real.cost().rowsRead());
                            assertClose(estimated.bytesRead(), real.cost().bytesRead());
                            assertClose(estimated.rowsWritten(), real.cost().rowsWritten());
                            assertClose(estimated.bytesWritten(), real.cost().bytesWritten());
                        });
    }

    /** Half of the operations are evaluated: the rest is chance. */
    private static void assertClose(double estimated, double real) {
        assertThat(estimated).isCloseTo(real, within(0.15 * real + 0.3));
    }

    @Test
    @org.junit.jupiter.api.Tag("slow")
    void theBestOptionIsChosenForNineOfTenWorkloads() {
        assertChosen(10, 500, 9);
    }

    @Test
    void theBestOptionIsChosenForASmallWorkload() {
        assertChosen(1, 150, 1);
    }

    /** Any other choice costs at most a tenth more than the best one. */
    private void assertChosen(int workloads, int operations, int least) {
        int right = 0;
        List<String> wrong = new ArrayList<>();
        for (int seed = 1; seed <= workloads; seed++) {
            right += isBestChosen(seed, operations, wrong) ? 1 : 0;
        }
        assertThat(right).as(wrong.toString()).isGreaterThanOrEqualTo(least);
    }

    private boolean isBestChosen(int seed, int operations, List<String> wrong) {
        GeneratedWorkload workload = GeneratedWorkload.of(100 + seed, operations);
        String name = "w" + seed;
        var _ = store.create(name, new TuplePlacement.Hashed(16), true);
        workload.load(store, name);
        workload.run(store, name);
        PlacementAdvice advice = ADVISOR.advise(store, name);
        PlacementOption chosen = advice.options().getFirst().option();
        double least = Double.MAX_VALUE;
        double ofChosen = 0;
        PlacementOption best = chosen;
        for (Priced<PlacementOption> priced : advice.options()) {
            String copy = "o" + seed + "-" + advice.options().indexOf(priced);
            var _ = store.create(copy, priced.option().placement(), priced.option().tagIndex());
            store.assign(copy, workload.groups(priced.option().placement()));
            workload.load(store, copy);
            double micros = NodeTime.DEFAULT.micros(workload.truth(store, copy, NODES).cost());
            if (priced.option().equals(chosen)) {
                ofChosen = micros;
            }
            if (micros < least) {
                least = micros;
                best = priced.option();
            }
            store.drop(copy);
        }
        if (!chosen.equals(best)) {
            wrong.add(
                    workload
                            + ": "
                            + chosen.text()
                            + " instead of "
                            + best.text()
                            + ", costs "
                            + ofChosen / least);
            assertThat(ofChosen).as(wrong.getLast()).isLessThanOrEqualTo(1.1 * least);
        }
        return chosen.equals(best);
    }

    @Test
    void adviceThatIsAppliedMovesTheTuples() {
        GeneratedWorkload workload = GeneratedWorkload.ofFriends(7);
        var _ = store.create("c", new TuplePlacement.Hashed(16), true);
        workload.load(store, "c");
        workload.run(store, "c");
        PlacementAdvice advice = ADVISOR.advise(store, "c");
        assertThat(advice.options().getFirst().option().placement().word()).isEqualTo("affinity");
        assertThat(advice.text()).startsWith("Change to affinity");
        double before = workload.truth(store, "c", NODES).cost().messages();
        var _ = ADVISOR.apply(store, "c");
        while (store.work()) {
            // the next step
        }
        assertThat(store.collection("c").placement().word()).isEqualTo("affinity");
        assertThat(workload.truth(store, "c", NODES).cost().messages()).isLessThan(before / 2);
        PlacementAdvice after = ADVISOR.advise(store, "c");
        assertThat(after.better()).isEmpty();
        assertThat(after.text()).startsWith("No change pays off");
        assertThatThrownBy(() -> ADVISOR.apply(store, "c"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("No change pays off");
    }

    @Test
    void aTagIndexThatNobodyReadsIsDropped() {
        var _ = store.create("c", new TuplePlacement.Ordered(), true);
        for (int k = 0; k < 200; k++) {
            var _ = store.write(List.of(put("c", "k" + k, "a=" + k, "b=" + k)), false);
        }
        PlacementOption best = ADVISOR.advise(store, "c").options().getFirst().option();
        assertThat(best.tagIndex()).isFalse();
        var _ = ADVISOR.apply(store, "c");
        while (store.work()) {
            // the next step
        }
        assertThat(store.collection("c").tagIndex()).isFalse();
        assertThat(
                        store.find(
                                        "c",
                                        new TagFilter(
                                                List.of(TagCondition.parse("a=7")), List.of()),
                                        Paging.of(0, 0, ""))
                                .tuples())
                .hasSize(1);
    }

    private static TupleWrite put(String collection, String key, String... tags) {
        TreeSet<Tag> parsed = new TreeSet<>();
        for (String tag : tags) {
            parsed.add(Tag.parse(tag));
        }
        return new TupleWrite.Put(
                collection, key, "v".getBytes(UTF_8), parsed, TupleWrite.Condition.NONE);
    }

    @Test
    void fewOperationsGiveNoAdvice() {
        var _ = store.create("c", new TuplePlacement.Hashed(16), true);
        for (int k = 0; k < 20; k++) {
            var _ = store.range("c", KeySpan.ALL, Paging.of(0, 0, ""));
        }
        PlacementAdvice advice = ADVISOR.advise(store, "c");
        assertThat(advice.better()).isEmpty();
        assertThat(advice.text()).startsWith("Only 10 operations");
        assertThatThrownBy(() -> new PlacementAdvisor(0, NodeTime.DEFAULT))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void copiesOfTimelinesArePricedBesideTheOptions() {
        GeneratedWorkload workload = GeneratedWorkload.ofFriends(3);
        var _ = store.create("c", new TuplePlacement.Ordered(), true);
        workload.load(store, "c");
        workload.run(store, "c");
        var copies = ADVISOR.advise(store, "c").materialised().orElseThrow();
        assertThat(copies.readCost().nodes()).isOne();
        assertThat(copies.copies()).isGreaterThan(1);
    }

    @Test
    void samplesAreBounded() {
        WorkloadSamples samples =
                new WorkloadSamples(
                        new java.util.concurrent.atomic.AtomicLong(), new SplittableRandom(1));
        int count = 3 * WorkloadSamples.OPERATIONS_MAX;
        for (int k = 0; k < count; k++) {
            samples.get("c", List.of("k" + k), List.of());
        }
        assertThat(samples.seen("c")).isEqualTo(count);
        assertThat(samples.operations("c")).hasSize(WorkloadSamples.OPERATIONS_MAX);
        long late =
                samples.operations("c").stream()
                        .map(SampledOperation.Get.class::cast)
                        .filter(
                                get ->
                                        Integer.parseInt(get.keys().getFirst().substring(1))
                                                >= count / 2)
                        .count();
        assertThat(late).isBetween(4_500L, 5_500L);
        samples.forget("c");
        assertThat(samples.operations("c")).isEmpty();
    }

    @Test
    void samplesOfLargeTuplesAreBoundedByTheirBytes() {
        var bytes = new java.util.concurrent.atomic.AtomicLong();
        WorkloadSamples samples = new WorkloadSamples(bytes, new SplittableRandom(1));
        String key = "k".repeat(TupleLimits.KEY_BYTES_MAX);
        List<Tuple> tuples = new ArrayList<>();
        for (int k = 0; k < WorkloadSamples.TUPLES_MAX; k++) {
            tuples.add(new Tuple(key, new byte[0], new TreeSet<>(), 0));
        }
        for (int k = 0; k < 1_000; k++) {
            samples.get("c", List.of(key), tuples);
        }
        assertThat(bytes.get())
                .isBetween(WorkloadSamples.BYTES_MAX / 2, WorkloadSamples.BYTES_MAX + (1L << 20));
    }

    @Test
    void movedTuplesAreFoundWhereTheyWereNotExpected() {
        var _ = store.create("c", new TuplePlacement.Affinity("/", 8), true);
        store.assign("c", Map.of("ann", 1));
        var _ = store.write(List.of(put("c", "ann/1")), false);
        assertThat(store.get("c", List.of("ann/1"), 0).tuples()).hasSize(1);
        store.assign("c", Map.of("ann", 5));
        var _ = store.write(List.of(put("c", "ann/2")), false);
        assertThat(store.get("c", List.of("ann/1", "ann/2", "ann/3"), 0).tuples()).hasSize(2);
        var _ = store.write(List.of(put("c", "ann/1")), false);
        assertThat(store.get("c", List.of("ann/1", "ann/2"), 0).tuples()).hasSize(2);
    }
}
