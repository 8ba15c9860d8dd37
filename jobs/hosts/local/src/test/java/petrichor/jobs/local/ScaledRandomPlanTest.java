package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.CostModel;
import petrichor.jobs.pact.compiler.Explanation;
import petrichor.jobs.testkit.PlanInterpreter;
import petrichor.jobs.testkit.RandomPlan;
import petrichor.jobs.testkit.RandomScaling;
import petrichor.jobs.testkit.Rows;

/** Live scaling at random does not change the result of a plan. */
final class ScaledRandomPlanTest {
    private static final int PLANS = 150;
    private static final long MEMORY_BYTES = 256 << 20;

    @TempDir Path folder;

    @Test
    void aPlanWhoseTasksAreScaledAtRandomGivesTheSameResult() throws Exception {
        long first = Long.getLong("seed", new Random().nextInt(1_000_000));
        int plans = System.getProperty("seed") == null ? PLANS : 1;
        Scalings scalings = new Scalings();
        for (long seed = first; seed < first + plans; seed++) {
            long own = seed;
            var expected = PlanInterpreter.run(RandomPlan.of(seed));
            var plan = RandomPlan.of(seed);
            var options =
                    EngineOptions.ofThisProcess()
                            .withMemoryBytes(MEMORY_BYTES)
                            .withSpillFolder(folder)
                            .withScaling(() -> new RandomScaling(own));
            Jobs.local()
                    .with(options)
                    .with(Compiler.with(CostModel.DEFAULT.perturbed(seed)))
                    .start(plan, scalings)
                    .await();
            for (var sink : plan.sinks()) {
                assertThat(Rows.written(plan, sink.name()))
                        .as("-Dseed=%d, %s", seed, sink.name())
                        .isEqualTo(
                                expected.getOrDefault(sink.name(), List.of()).stream()
                                        .sorted()
                                        .toList());
            }
        }
        if (plans > 1) {
            assertThat(scalings.seen).hasPositiveValue();
        }
    }

    /** Counts scalings. */
    private static final class Scalings implements RunWatcher {
        private final AtomicInteger seen = new AtomicInteger();

        @Override
        public void compiled(List<Explanation> parts) {}

        @Override
        public void enters(int part, int round) {}

        @Override
        public void began(ExecutionGraph image) {}

        @Override
        public void changed(ExecutionDelta delta) {
            if (delta instanceof ExecutionDelta.TaskScaled) {
                seen.incrementAndGet();
            }
        }
    }
}
