package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.CostModel;
import petrichor.jobs.pact.compiler.Explanation;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.testkit.PlanInterpreter;
import petrichor.jobs.testkit.RandomPlan;
import petrichor.jobs.testkit.RandomScaling;
import petrichor.jobs.testkit.Rows;

/** Live scaling at random does not change the result of a plan. */
final class ScaledRandomPlanTest {
    private static final int PLANS = 150;
    private static final long MEMORY_BYTES = 256 << 20;

    private static final RecordType LINE = RecordType.of(Field.text("line"));

    /** Static, since user code is copied to its subtasks with all that it references. */
    private static final CountDownLatch SCALED = new CountDownLatch(1);

    @TempDir Path folder;

    @Test
    void aPlanWhoseTasksAreScaledAtRandomGivesTheSameResult() throws Exception {
        long first = Long.getLong("seed", new Random().nextInt(1_000_000));
        int plans = System.getProperty("seed") == null ? PLANS : 1;
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
                    .start(plan, new Scalings(new CountDownLatch(1)))
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
    }

    /** A short plan may end before it is scaled, so this one waits for it. */
    @Test
    void randomScalingScalesAPlan() throws Exception {
        var text = "a line\n".repeat(1_000);
        var file = Files.writeString(folder.resolve("lines.txt"), text);
        var sink = new Rows.ListSink("lines");
        var plan = Plan.named("scaled").parallelism(2);
        plan.read(new TextSource(file.toString())).map("waiting", LINE, whenScaled()).write(sink);
        Jobs.local()
                .with(
                        EngineOptions.ofThisProcess()
                                .withMemoryBytes(MEMORY_BYTES)
                                .withSpillFolder(folder)
                                .withScaling(() -> new RandomScaling(1)))
                .start(plan, new Scalings(SCALED))
                .await();
        assertThat(SCALED.getCount()).isZero();
        assertThat(sink.sortedRows()).hasSize(1_000);
    }

    private static MapCode whenScaled() {
        return (in, out) -> {
            assertThat(SCALED.await(60, TimeUnit.SECONDS)).isTrue();
            out.emit(in);
        };
    }

    /** Opens a latch at the first scaling. */
    private record Scalings(CountDownLatch seen) implements RunWatcher {

        @Override
        public void compiled(List<Explanation> parts) {}

        @Override
        public void enters(int part, int round) {}

        @Override
        public void began(ExecutionGraph image) {}

        @Override
        public void changed(ExecutionDelta delta) {
            if (delta instanceof ExecutionDelta.TaskScaled) {
                seen.countDown();
            }
        }
    }
}
