package petrichor.bench.apps;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import petrichor.bench.ResultTable;

/**
 * What a million requests cost on Google's App Engine, by the list prices of {@code prices.csv},
 * which were not compared with Google's current ones, and on one machine of one's own. Immutable.
 */
record HostingPrices(ResultTable table) {
    private static final double MILLION = 1e6;
    private static final double ENTITIES = 1e5;
    private static final double GIBIBYTE = 1L << 30;
    private static final double SECONDS_PER_HOUR = 3_600;
    private static final int ITEM = 0;
    private static final int DOLLARS = 2;

    /** Dollars for a million requests. */
    record Bill(double instances, double datastore, double egress, double machine) {
        double google() {
            return instances + datastore + egress;
        }
    }

    static HostingPrices listed() {
        List<List<String>> lines = new ArrayList<>();
        try (InputStream in = HostingPrices.class.getResourceAsStream("prices.csv");
                BufferedReader reader =
                        new BufferedReader(
                                new InputStreamReader(
                                        Objects.requireNonNull(in), StandardCharsets.UTF_8))) {
            reader.lines().forEach(line -> lines.add(Arrays.asList(line.split(",", -1))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new HostingPrices(new ResultTable(lines.removeFirst(), lines));
    }

    /**
     * @param instanceHours of the class F1, during so many answers
     * @param perSecond answers of the whole machine under full load
     */
    Bill bill(
            SeedLoad load,
            double instanceHours,
            long answers,
            double bytesPerAnswer,
            double perSecond) {
        double all = Math.max(1, answers);
        return new Bill(
                instanceHours / all * MILLION * price("F1"),
                (load.reads() * price("read") + load.writes() * price("write"))
                        * MILLION
                        / ENTITIES,
                bytesPerAnswer * MILLION / GIBIBYTE * price("egress"),
                price("machine") * MILLION / (Math.max(0.001, perSecond) * SECONDS_PER_HOUR));
    }

    double price(String item) {
        for (List<String> row : table.rows()) {
            if (row.get(ITEM).equals(item)) {
                return Double.parseDouble(row.get(DOLLARS));
            }
        }
        throw new IllegalArgumentException("no price of " + item);
    }
}
