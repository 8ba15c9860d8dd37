package petrichor.jobs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.pact.compiler.CostModel;

/**
 * Every plan that the compiler chooses, and would choose with other costs, is equivalent to the
 * original.
 */
final class RandomPlanTest {
    private static final int PLANS = 150;
    private static final int PRICES = 4;

    @Test
    void everyVariantOfARandomPlanGivesTheSameResult() throws Exception {
        long first = Long.getLong("seed", new Random().nextInt(1_000_000));
        int plans = System.getProperty("seed") == null ? PLANS : 1;
        for (long seed = first; seed < first + plans; seed++) {
            var expected = PlanInterpreter.run(RandomPlan.of(seed));
            for (int price = 0; price <= PRICES; price++) {
                var plan = RandomPlan.of(seed);
                var compiler =
                        Compiler.with(
                                CostModel.DEFAULT.perturbed(price == 0 ? 0 : seed * 31 + price));
                for (var part : compiler.compile(plan).parts()) {
                    GraphInterpreter.run(part.graph());
                }
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
