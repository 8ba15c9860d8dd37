package petrichor.cloud.leasing;

import java.time.Duration;
import java.util.List;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.PriceTrace;

/** Prices of spot machines for tests. */
final class Traces {
    private Traces() {}

    static PriceTrace flat(String dollars) {
        return new PriceTrace(
                List.of(new PricePoint(World.BEGIN, Money.parse(dollars))),
                World.BEGIN.plus(Duration.ofDays(30)));
    }

    static PriceTrace steps(String first, int minutes, String then) {
        return new PriceTrace(
                List.of(
                        new PricePoint(World.BEGIN, Money.parse(first)),
                        new PricePoint(
                                World.BEGIN.plus(Duration.ofMinutes(minutes)), Money.parse(then))),
                World.BEGIN.plus(Duration.ofDays(30)));
    }
}
