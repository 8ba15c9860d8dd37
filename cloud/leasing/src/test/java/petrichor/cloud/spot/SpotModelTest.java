package petrichor.cloud.spot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.PriceTrace;

final class SpotModelTest {
    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private static final Money LOW = Money.parse("0.03");
    private static final Money HIGH = Money.parse("0.20");
    private static final Money BID = Money.parse("0.05");

    /** One price per hour; L is low, H is above the bid. */
    private static PriceTrace hours(String letters) {
        List<PricePoint> points = new ArrayList<>();
        for (int hour = 0; hour < letters.length(); hour++) {
            points.add(
                    new PricePoint(
                            BEGIN.plus(Duration.ofHours(hour)),
                            letters.charAt(hour) == 'L' ? LOW : HIGH));
        }
        return new PriceTrace(points, BEGIN.plus(Duration.ofHours(letters.length())));
    }

    private static PriceChain chain(PriceTrace trace) {
        return PriceChain.of(trace, trace.begin(), trace.end());
    }

    @Test
    void aliveIsAPowerWhereOnlyOnePriceIsBelowTheBid() {
        // Of four hours at the low price, three are followed by another one.
        PriceChain chain = chain(hours("LLLLH"));
        double[] alive = chain.alive(LOW, BID, 4);
        for (int n = 0; n <= 4; n++) {
            assertThat(alive[n]).isCloseTo(Math.pow(0.75, n), within(1e-12));
        }
        assertThat(chain.expectedHours(LOW, BID, 4))
                .isCloseTo(0.75 + 0.5625 + 0.421875 + 0.31640625, within(1e-12));
    }

    @Test
    void noMachineIsAliveAboveItsBid() {
        assertThat(chain(hours("LLHLLH")).alive(HIGH, BID, 3)).containsOnly(0);
    }

    @Test
    void theExpectationEqualsTheMeanOfManyLifetimes() {
        PriceChain chain = chain(hours("LLLLLLLLLHLLLLLLLLLH"));
        double dies = 2.0 / 18;
        SplittableRandom random = new SplittableRandom(1);
        int max = 50;
        double sum = 0;
        int lives = 200_000;
        for (int i = 0; i < lives; i++) {
            int hours = 0;
            while (hours < max && random.nextDouble() >= dies) {
                hours++;
            }
            sum += hours;
        }
        assertThat(chain.expectedHours(LOW, BID, max)).isCloseTo(sum / lives, within(0.1));
    }

    @Test
    void theFormulaOfTheThesisExceedsEveryLifetime() {
        PriceChain chain = chain(hours("LLLLLLLLLL"));
        assertThat(chain.expectedHours(LOW, BID, 168)).isCloseTo(168, within(1e-9));
        assertThat(chain.asPrinted(LOW, BID, 168)).isCloseTo(168 * 169 / 2.0, within(1e-6));
    }

    @Test
    void survivalTreatsUnfinishedLifetimesAsCensored() {
        // Starts in hours 0 to 2 end in hour 3; the start in hour 4 is alive when the trace ends.
        PriceTrace trace = hours("LLLHL");
        Survival survival = Survival.of(trace, trace.begin(), trace.end(), LOW, BID);
        assertThat(survival.lives()).isEqualTo(4);
        double[] alive = survival.alive(4);
        assertThat(alive[0]).isEqualTo(1);
        assertThat(alive[1]).as("one of three ended").isCloseTo(2.0 / 3, within(1e-12));
        assertThat(alive[2]).as("of two, one").isCloseTo(1.0 / 3, within(1e-12));
        assertThat(alive[3]).isZero();
    }

    @Test
    void lostWorkIsRepeatedByTheRemainingMachines() {
        TerminationCost cost =
                new TerminationCost(Duration.ofSeconds(30), Duration.ofMinutes(60), 6);
        assertThat(cost.of(0)).isEqualTo(Duration.ofSeconds(30));
        // A sixth of 60 minutes, divided among five machines.
        assertThat(cost.of(1)).isEqualTo(Duration.ofSeconds(30 + 120));
        assertThatThrownBy(() -> cost.of(6)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aGeneratedTraceIsTheSameForTheSameSeedAndOutlivesItsFile() {
        Money onDemand = Money.parse("0.10");
        PriceTrace trace = TraceGenerator.generate(5, onDemand, BEGIN, 30);
        assertThat(TraceGenerator.generate(5, onDemand, BEGIN, 30)).isEqualTo(trace);
        assertThat(TraceGenerator.generate(6, onDemand, BEGIN, 30)).isNotEqualTo(trace);
        PriceTrace read = PriceTrace.parse(trace.lines());
        assertThat(read.end()).isEqualTo(trace.end());
        for (int hour = 0; hour < 720; hour++) {
            Instant moment = BEGIN.plus(Duration.ofHours(hour));
            assertThat(read.at(moment)).isEqualTo(trace.at(moment));
        }
    }

    @Test
    void aBacktestForecastsFromTheFirstHalfOnly() {
        PriceTrace calm = hours("LLLLLLLLLHLLLLLLLLLH" + "L".repeat(20));
        PriceTrace wild = hours("LLLLLLLLLHLLLLLLLLLH" + "LH".repeat(10));
        Backtest.Row one = Backtest.of(calm, 10).rows().getFirst();
        Backtest.Row other = Backtest.of(wild, 10).rows().getFirst();
        assertThat(one.chain()).isEqualTo(other.chain());
        assertThat(one.seen()).isEqualTo(other.seen());
        assertThat(one.came()).isGreaterThan(9);
        assertThat(other.came()).isLessThan(2);
        assertThat(Backtest.of(wild, 10).text()).contains("7.3 as printed");
    }

    @Test
    void onManyMarketsTheCorrectedFormulaIsFarBetterThanThePrintedOne() {
        for (long seed = 1; seed <= 10; seed++) {
            Backtest test =
                    Backtest.of(TraceGenerator.generate(seed, Money.parse("0.10"), BEGIN, 90), 168);
            assertThat(test.meanError(Backtest.Row::chain))
                    .as("seed " + seed)
                    .isLessThan(test.meanError(Backtest.Row::printed) / 2);
        }
    }
}
