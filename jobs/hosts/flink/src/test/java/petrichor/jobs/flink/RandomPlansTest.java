package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.hosted.StageRuntime;
import petrichor.jobs.engine.hosted.StageWork;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.CostModel;
import petrichor.jobs.testkit.PlanInterpreter;
import petrichor.jobs.testkit.RandomPlan;
import petrichor.jobs.testkit.Rows;

/** Flink runs every plan that the compiler chooses, with the correct result. */
@ExtendWith(OneFlink.class)
final class RandomPlansTest {
    private static final int RANDOM_PLANS = 4;

    /** Together they cover every operation, every shipping and several stages. */
    private static final List<Long> KNOWN_SEEDS = List.of(1L, 2L, 3L, 5L, 8L, 13L, 256L, 263L);

    @TempDir Path folder;

    private final FlinkRuntime flink;
    private final Set<String> seen = new TreeSet<>();

    RandomPlansTest(OneFlink flink) {
        this.flink = flink.runtime();
    }

    @Test
    void everyOperationAndShippingGivesTheCorrectResult() throws Exception {
        for (long seed : KNOWN_SEEDS) {
            check(seed);
        }
        assertThat(seen)
                .contains(
                        "Read",
                        "Write",
                        "SortedReduce",
                        "HashAggregate",
                        "MergeJoin",
                        "HashJoin",
                        "Cross",
                        "CoGroup")
                .contains(
                        "Forward",
                        "HashPartition",
                        "RangePartition",
                        "Broadcast",
                        "FragmentAndReplicate")
                .contains("FILE");
    }

    @Test
    void aNewRandomPlanGivesTheCorrectResult() throws Exception {
        long first = Long.getLong("seed", new Random().nextInt(1_000_000));
        int plans = System.getProperty("seed") == null ? RANDOM_PLANS : 1;
        for (long seed = first; seed < first + plans; seed++) {
            check(seed);
        }
    }

    private void check(long seed) throws Exception {
        var plan = RandomPlan.of(seed);
        var expected = PlanInterpreter.run(RandomPlan.of(seed));
        Jobs.local()
                .with(EngineOptions.ofThisProcess().withSpillFolder(folder))
                .with(Compiler.with(CostModel.DEFAULT.perturbed(seed % 4 == 0 ? 0 : seed * 31)))
                .with(looking())
                .run(plan);
        for (var sink : plan.sinks()) {
            assertThat(Rows.written(plan, sink.name()))
                    .as("-Dseed=%d, %s", seed, sink.name())
                    .isEqualTo(
                            expected.getOrDefault(sink.name(), List.of()).stream()
                                    .sorted()
                                    .toList());
        }
    }

    /** Flink, with inspection of the submitted stages. */
    private StageRuntime looking() {
        return (work, watch) -> {
            seen.addAll(kinds(work));
            return flink.start(work, watch);
        };
    }

    private static Set<String> kinds(StageWork work) {
        Set<String> kinds = new HashSet<>();
        work.graph()
                .vertices()
                .forEach(vertex -> kinds.add(vertex.operation().getClass().getSimpleName()));
        work.graph()
                .edges()
                .forEach(
                        edge -> {
                            kinds.add(edge.shipping().getClass().getSimpleName());
                            kinds.add(edge.channel().name());
                        });
        return kinds;
    }
}
