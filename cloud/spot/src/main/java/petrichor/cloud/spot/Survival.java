package petrichor.cloud.spot;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import petrichor.cloud.Money;
import petrichor.cloud.PriceTrace;

/**
 * How long machines would have lived, without a model: one is started in each hour whose price was
 * near the present one, and ends with the first hour above its bid. Lives that the end of the
 * prices cut short are counted as Kaplan and Meier taught: alive for as long as they were seen.
 */
public final class Survival {
    /** Prices that differ by no more than this share are the same price. */
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
        // From behind: when the next hour above the bid comes is then known.
        for (int hour = hourly.size() - 1; hour >= 0; hour--) {
            Money price = hourly.get(hour);
            if (price.compareTo(bid) > 0) {
                end = hour;
                seesEnd = true;
            } else if (Math.abs(price.micros() - start.micros()) <= NEAR * start.micros()) {
                // The trace's last hour is the last one in which anybody was seen.
                lives.add(new Life(seesEnd ? end - hour : end - hour - 1, seesEnd));
            }
        }
        return new Survival(lives);
    }

    /** How many lives were looked at; none where the price never was what it is now. */
    public int lives() {
        return lives.size();
    }

    /** The probability to be alive after each number of hours; element n for n hours. */
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
     * The expected whole hours of a life, if it is ended after {@code hoursMax} at the latest.
     * Where all lives were cut short, what comes after the longest one is taken to be as before.
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
