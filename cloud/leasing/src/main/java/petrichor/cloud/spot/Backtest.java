package petrichor.cloud.spot;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import petrichor.base.PetrichorException;
import petrichor.cloud.Money;
import petrichor.cloud.PriceTrace;

/**
 * Compares the models' predictions from the first half of a price trace with the lifetimes in the
 * second half.
 */
public record Backtest(int hoursMax, List<Row> rows) {
    private static final Duration LEAST = Duration.ofHours(8);

    /** Bids as multiples of the start price. */
    private static final double[] BIDS = {1.05, 1.25, 1.5, 2.0};

    /** Number of start prices, spread over the observed ones. */
    private static final int STARTS = 3;

    /**
     * Results for one start price and one bid; lifetimes in hours.
     *
     * @param printed prediction of the thesis' equation 7.3
     * @param chain prediction of the corrected equation
     * @param seen lifetime observed in the first half, without a model
     * @param came lifetime observed in the second half; undefined if {@code cameLives} is 0
     */
    public record Row(
            Money start,
            Money bid,
            double printed,
            double chain,
            double seen,
            int seenLives,
            double came,
            int cameLives) {}

    public static Backtest of(PriceTrace trace, int hoursMax) {
        if (trace.length().compareTo(LEAST) < 0) {
            throw PetrichorException.invalid(
                    "a trace of {traceCount} is too short; " + LEAST + " at least",
                    "traceCount",
                    trace.length());
        }
        Instant middle = trace.begin().plus(trace.length().dividedBy(2));
        PriceChain chain = PriceChain.of(trace, trace.begin(), middle);
        List<Row> rows = new ArrayList<>();
        for (Money start : starts(chain)) {
            for (double factor : BIDS) {
                Money bid = new Money(Math.round(start.micros() * factor));
                Survival seen = Survival.of(trace, trace.begin(), middle, start, bid);
                Survival came = Survival.of(trace, middle, trace.end(), start, bid);
                rows.add(
                        new Row(
                                start,
                                bid,
                                chain.asPrinted(start, bid, hoursMax),
                                chain.expectedHours(start, bid, hoursMax),
                                seen.expectedHours(hoursMax),
                                seen.lives(),
                                came.expectedHours(hoursMax),
                                came.lives()));
            }
        }
        return new Backtest(hoursMax, rows);
    }

    private static List<Money> starts(PriceChain chain) {
        List<Money> prices = chain.prices();
        TreeSet<Money> starts = new TreeSet<>();
        for (int i = 0; i < STARTS; i++) {
            starts.add(prices.get((prices.size() - 1) * i / STARTS));
        }
        return List.copyOf(starts);
    }

    /** Mean relative error of a prediction; NaN if no lifetime was observed. */
    public double meanError(ToDoubleFunction<Row> forecast) {
        return rows.stream()
                .filter(row -> row.cameLives() > 0 && row.came() > 0)
                .mapToDouble(row -> Math.abs(forecast.applyAsDouble(row) - row.came()) / row.came())
                .average()
                .orElse(Double.NaN);
    }

    public List<String> csv() {
        List<String> csv = new ArrayList<>();
        csv.add(
                "start,bid,as_printed_hours,chain_hours,seen_hours,seen_lives,came_hours,came_lives");
        for (Row row : rows) {
            csv.add(
                    String.format(
                            Locale.ROOT,
                            "%s,%s,%.1f,%.1f,%.1f,%d,%.1f,%d",
                            row.start().toString().substring(1),
                            row.bid().toString().substring(1),
                            row.printed(),
                            row.chain(),
                            row.seen(),
                            row.seenLives(),
                            row.came(),
                            row.cameLives()));
        }
        return csv;
    }

    /** A text table for a terminal. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "Expected lifetime of a spot machine in hours, at most %d. Estimated from"
                                + " the first half of the trace; the last column is observed in the"
                                + " second half.%n%n%10s %10s %16s %8s %8s %16s%n",
                        hoursMax,
                        "price",
                        "bid",
                        "7.3 as printed",
                        "chain",
                        "seen",
                        "came (machines)"));
        for (Row row : rows) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%10s %10s %16.1f %8.1f %8.1f %16s%n",
                            row.start(),
                            row.bid(),
                            row.printed(),
                            row.chain(),
                            row.seen(),
                            row.cameLives() == 0
                                    ? "price not seen"
                                    : String.format(
                                            Locale.ROOT,
                                            "%.1f (%d)",
                                            row.came(),
                                            row.cameLives())));
        }
        text.append(
                String.format(
                        Locale.ROOT,
                        "%nmean error: 7.3 as printed %.0f %%, chain %.0f %%, seen %.0f %%%n",
                        100 * meanError(Row::printed),
                        100 * meanError(Row::chain),
                        100 * meanError(Row::seen)));
        return text.toString();
    }
}
