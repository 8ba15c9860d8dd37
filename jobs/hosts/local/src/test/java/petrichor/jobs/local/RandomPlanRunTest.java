package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.CostModel;
import petrichor.jobs.testkit.PlanInterpreter;
import petrichor.jobs.testkit.RandomPlan;
import petrichor.jobs.testkit.Rows;

/** Compiler and engine together: every chosen plan gives the correct result. */
final class RandomPlanRunTest {
    private static final int PLANS = 60;
    private static final int PRICES = 2;

    @TempDir Path folder;

    @Test
    void everyVariantOfARandomPlanGivesTheSameResult() throws Exception {
        long first = Long.getLong("seed", new Random().nextInt(1_000_000));
        int plans = System.getProperty("seed") == null ? PLANS : 1;
        for (long seed = first; seed < first + plans; seed++) {
            var expected = PlanInterpreter.run(RandomPlan.of(seed));
            for (int price = 0; price <= PRICES; price++) {
                var plan = RandomPlan.of(seed);
                var model = CostModel.DEFAULT.perturbed(price == 0 ? 0 : seed * 31 + price);
                var options =
                        EngineOptions.ofThisProcess()
                                .withMemoryBytes(64 << 20)
                                .withSpillFolder(folder);
                Jobs.local().with(options).with(Compiler.with(model)).run(plan);
                for (var sink : plan.sinks()) {
                    assertThat(Rows.written(plan, sink.name()))
                            .as("-Dseed=%d, %s at price %d", seed, sink.name(), price)
                            .isEqualTo(
                                    expected.getOrDefault(sink.name(), List.of()).stream()
                                            .sorted()
                                            .toList());
                }
            }
        }
    }
}
