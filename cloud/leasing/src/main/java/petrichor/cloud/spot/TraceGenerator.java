package petrichor.cloud.spot;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import petrichor.cloud.Money;
import petrichor.cloud.PricePoint;
import petrichor.cloud.PriceTrace;

/**
 * Generates prices of a bid-based spot market: they stay near a third of the on-demand price,
 * change by small steps, more often by day, and occasionally exceed the on-demand price for some
 * hours. The same seed generates the same prices.
 */
public final class TraceGenerator {
    private static final double LOW = 0.29;
    private static final double HIGH = 0.5;
    private static final double STEP = 0.02;
    private static final double MOVES_BY_DAY = 0.35;
    private static final double MOVES_BY_NIGHT = 0.1;
    private static final double JUMPS = 0.012;
    private static final double JUMP_ENDS = 0.4;
    private static final int DAY_BEGINS = 8;
    private static final int DAY_ENDS = 20;
    private static final int HOURS = 24;

    private TraceGenerator() {}

    public static PriceTrace generate(long seed, Money onDemand, Instant begin, int days) {
        SplittableRandom random = new SplittableRandom(new SplittableRandom(seed).nextLong());
        List<PricePoint> points = new ArrayList<>();
        double level = 0.33;
        boolean jumped = false;
        for (int hour = 0; hour < days * HOURS; hour++) {
            int ofDay = hour % HOURS;
            boolean day = ofDay >= DAY_BEGINS && ofDay < DAY_ENDS;
            if (jumped) {
                jumped = random.nextDouble() >= JUMP_ENDS;
            } else {
                jumped = random.nextDouble() < JUMPS * (day ? 2 : 1);
            }
            if (random.nextDouble() < (day ? MOVES_BY_DAY : MOVES_BY_NIGHT)) {
                level += random.nextBoolean() ? STEP : -STEP;
                level = Math.clamp(level, LOW, HIGH);
            }
            double share = jumped ? 1.5 : level;
            // Rounded to a tenth of a cent, as on the real market.
            Money price = new Money(Math.round(onDemand.micros() * share / 1000) * 1000);
            if (points.isEmpty() || !points.getLast().pricePerHour().equals(price)) {
                points.add(new PricePoint(begin.plus(Duration.ofHours(hour)), price));
            }
        }
        return new PriceTrace(points, begin.plus(Duration.ofDays(days)));
    }
}
