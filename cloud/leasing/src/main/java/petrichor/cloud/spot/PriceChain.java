package petrichor.cloud.spot;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import petrichor.base.PetrichorException;
import petrichor.cloud.Money;
import petrichor.cloud.PriceTrace;

/**
 * Models prices as a Markov chain with one step per hour (equations 7.1 and 7.2 of the thesis). The
 * frequencies of price transitions determine the probability that a machine with a given bid is
 * alive after n hours. A machine terminates when the price exceeds its bid.
 *
 * <p>A chain of first order ignores how long a price has lasted, and daily cycles of prices;
 * compare {@link Survival}.
 */
public final class PriceChain {
    public static final Duration STEP = Duration.ofHours(1);

    private final List<Money> prices;
    private final double[][] next;

    private PriceChain(List<Money> prices, double[][] next) {
        this.prices = prices;
        this.next = next;
    }

    /** Estimates the chain from the prices between two times. */
    public static PriceChain of(PriceTrace trace, Instant from, Instant to) {
        List<Money> hourly = hourly(trace, from, to);
        if (hourly.size() < 2) {
            throw PetrichorException.invalid(
                    "a price chain needs at least two hours, not {hourlyCount}",
                    "hourlyCount",
                    hourly.size());
        }
        TreeMap<Money, Integer> numbers = new TreeMap<>();
        hourly.forEach(price -> numbers.put(price, 0));
        List<Money> prices = new ArrayList<>(numbers.keySet());
        for (int i = 0; i < prices.size(); i++) {
            numbers.put(prices.get(i), i);
        }
        double[][] counts = new double[prices.size()][prices.size()];
        for (int i = 1; i < hourly.size(); i++) {
            int before = numbers.getOrDefault(hourly.get(i - 1), 0);
            int after = numbers.getOrDefault(hourly.get(i), 0);
            counts[before][after]++;
        }
        for (int i = 0; i < counts.length; i++) {
            double all = 0;
            for (double count : counts[i]) {
                all += count;
            }
            if (all == 0) {
                // This price occurred only in the last hour, so its successor is unknown: assume
                // that it stays.
                counts[i][i] = 1;
                continue;
            }
            for (int j = 0; j < counts.length; j++) {
                counts[i][j] /= all;
            }
        }
        return new PriceChain(prices, counts);
    }

    static List<Money> hourly(PriceTrace trace, Instant from, Instant to) {
        List<Money> hourly = new ArrayList<>();
        for (Instant hour = from; hour.isBefore(to); hour = hour.plus(STEP)) {
            hourly.add(trace.at(hour));
        }
        return hourly;
    }

    /** All observed prices in ascending order. */
    public List<Money> prices() {
        return List.copyOf(prices);
    }

    /**
     * The probability of being alive after each number of hours.
     *
     * @param start current price; replaced by the nearest observed price
     * @return element n for n hours, from 0 to {@code hours}
     */
    public double[] alive(Money start, Money bid, int hours) {
        int states = prices.size();
        double[] now = new double[states];
        double[] alive = new double[hours + 1];
        boolean begins = start.compareTo(bid) <= 0;
        now[nearest(start)] = begins ? 1 : 0;
        alive[0] = begins ? 1 : 0;
        for (int hour = 1; hour <= hours; hour++) {
            double[] later = new double[states];
            double sum = 0;
            for (int j = 0; j < states; j++) {
                if (prices.get(j).compareTo(bid) > 0) {
                    continue;
                }
                for (int i = 0; i < states; i++) {
                    later[j] += now[i] * next[i][j];
                }
                sum += later[j];
            }
            now = later;
            alive[hour] = sum;
        }
        return alive;
    }

    private int nearest(Money price) {
        int best = 0;
        for (int i = 1; i < prices.size(); i++) {
            long distance = Math.abs(prices.get(i).micros() - price.micros());
            if (distance < Math.abs(prices.get(best).micros() - price.micros())) {
                best = i;
            }
        }
        return best;
    }

    /**
     * The expected lifetime in hours, limited to {@code hoursMax}: the sum of the probabilities of
     * being alive after 1, 2, … hours.
     */
    public double expectedHours(Money start, Money bid, int hoursMax) {
        double[] alive = alive(start, bid, hoursMax);
        double sum = 0;
        for (int hour = 1; hour <= hoursMax; hour++) {
            sum += alive[hour];
        }
        return sum;
    }

    /** Equation 7.3 as printed, for comparison; it is not an expected lifetime. */
    public double asPrinted(Money start, Money bid, int hoursMax) {
        double[] alive = alive(start, bid, hoursMax);
        double sum = 0;
        for (int hour = 1; hour <= hoursMax; hour++) {
            sum += hour * alive[hour];
        }
        return sum;
    }
}
