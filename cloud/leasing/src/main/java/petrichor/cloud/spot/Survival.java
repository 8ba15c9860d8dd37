package petrichor.cloud.spot;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import petrichor.cloud.Money;
import petrichor.cloud.PriceTrace;

/**
 * Estimates lifetimes without a model. One machine starts in each hour whose price is near the
 * current one, and ends with the first hour above its bid. Lifetimes that exceed the end of the
 * prices are censored observations of a Kaplan-Meier estimator.
 */
public final class Survival {
    /** Prices within this relative distance are considered equal. */
    private static final double NEAR = 0.05;

    private record Life(int hours, boolean ended) {}

    private final List<Life> lives;

    private Survival(List<Life> lives) {
        this.lives = lives;
    }

    public static Survival of(PriceTrace trace, Instant from, Instant to, Money start, Money bid) {
        List<Money> hourly = PriceChain.hourly(trace, from, to);
        List<Life> lives = new ArrayList<>();
        int end = hourly.size();
        boolean seesEnd = false;
        // Iterates backwards, so that the next hour above the bid is known.
        for (int hour = hourly.size() - 1; hour >= 0; hour--) {
            Money price = hourly.get(hour);
            if (price.compareTo(bid) > 0) {
                end = hour;
                seesEnd = true;
            } else if (Math.abs(price.micros() - start.micros()) <= NEAR * start.micros()) {
                // The last hour of the trace is the last observation of censored lifetimes.
                lives.add(new Life(seesEnd ? end - hour : end - hour - 1, seesEnd));
            }
        }
        return new Survival(lives);
    }

    /** Number of observed lifetimes; 0 if the current price never occurred. */
    public int lives() {
        return lives.size();
    }

    /** The probability of being alive after each number of hours; element n for n hours. */
    public double[] alive(int hoursMax) {
        List<Life> sorted = new ArrayList<>(lives);
        sorted.sort(Comparator.comparingInt(Life::hours));
        double[] alive = new double[hoursMax + 1];
        double survived = lives.isEmpty() ? 0 : 1;
        int next = 0;
        for (int hour = 0; hour <= hoursMax; hour++) {
            int atRisk = sorted.size() - next;
            int ended = 0;
            while (next < sorted.size() && sorted.get(next).hours() == hour) {
                ended += sorted.get(next).ended() ? 1 : 0;
                next++;
            }
            if (atRisk > 0) {
                survived *= 1 - (double) ended / atRisk;
            }
            alive[hour] = survived;
        }
        return alive;
    }

    /**
     * The expected lifetime in whole hours, limited to {@code hoursMax}. If the longest lifetimes
     * are censored, the probability stays constant after them.
     */
    public double expectedHours(int hoursMax) {
        double[] alive = alive(hoursMax);
        double sum = 0;
        for (int hour = 1; hour <= hoursMax; hour++) {
            sum += alive[hour];
        }
        return sum;
    }
}
