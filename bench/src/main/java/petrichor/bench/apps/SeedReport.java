package petrichor.bench.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import petrichor.bench.ResultTable;

/**
 * The results of one part as files: percentiles and throughput over time, points of latency, costs,
 * and a drawing.
 */
record SeedReport(String part, List<SeedResult> results, HostingPrices prices) {
    static final int INTERVALS = 20;

    /** Drawn and stored of one load; all would be hundreds of thousands. */
    static final int POINTS_MAX = 500;

    private static final double[] SHARES = {0.5, 0.8, 0.9, 0.99};

    void write(Path out) throws IOException {
        Files.createDirectories(out);
        overTime().write(out.resolve("apps-" + part + ".csv"));
        points().write(out.resolve("apps-" + part + "-points.csv"));
        costs().write(out.resolve("apps-" + part + "-costs.csv"));
        Files.writeString(out.resolve("apps-" + part + ".svg"), new SeedDrawing(results).drawn());
        prices.table().write(out.resolve("apps-prices.csv"));
        SeedPage.write(out);
    }

    private ResultTable overTime() {
        List<List<String>> rows = new ArrayList<>();
        for (SeedResult result : results) {
            for (UserRamp.Interval each : result.ramp().intervals(INTERVALS)) {
                List<String> row = new ArrayList<>();
                row.add(result.store());
                row.add(result.load().displayName());
                row.add(number(each.second()));
                row.add(String.valueOf(each.users()));
                row.add(String.valueOf(each.answers()));
                row.add(String.valueOf(each.failed()));
                row.add(number(each.perSecond()));
                row.add(number(each.times().meanMicros() / 1e3));
                for (double share : SHARES) {
                    row.add(number(each.times().micros(share) / 1e3));
                }
                rows.add(row);
            }
        }
        return new ResultTable(
                List.of(
                        "store",
                        "load",
                        "second",
                        "users",
                        "answers",
                        "failed",
                        "per second",
                        "mean ms",
                        "p50 ms",
                        "p80 ms",
                        "p90 ms",
                        "p99 ms"),
                rows);
    }

    private ResultTable points() {
        List<List<String>> rows = new ArrayList<>();
        for (SeedResult result : results) {
            for (UserRamp.UserAnswer each : sampled(result.ramp().answers())) {
                rows.add(
                        List.of(
                                result.store(),
                                result.load().displayName(),
                                String.format(Locale.ROOT, "%.2f", each.second()),
                                number(each.millis()),
                                each.expected() ? "yes" : "no"));
            }
        }
        return new ResultTable(List.of("store", "load", "second", "ms", "as expected"), rows);
    }

    static List<UserRamp.UserAnswer> sampled(List<UserRamp.UserAnswer> answers) {
        int step = Math.max(1, (answers.size() + POINTS_MAX - 1) / POINTS_MAX);
        List<UserRamp.UserAnswer> sampled = new ArrayList<>();
        for (int i = 0; i < answers.size(); i += step) {
            sampled.add(answers.get(i));
        }
        return sampled;
    }

    private ResultTable costs() {
        List<List<String>> rows = new ArrayList<>();
        for (SeedResult result : results) {
            HostingPrices.Bill bill = result.bill(prices);
            rows.add(
                    List.of(
                            result.store(),
                            result.load().displayName(),
                            number(result.ramp().end().perSecond()),
                            dollars(bill.instances()),
                            dollars(bill.datastore()),
                            dollars(bill.egress()),
                            dollars(bill.google()),
                            dollars(bill.machine())));
        }
        return new ResultTable(
                List.of(
                        "store",
                        "load",
                        "answers per second of the machine",
                        "Google: instances, dollars for a million requests",
                        "Google: entities",
                        "Google: egress",
                        "Google together",
                        "machine"),
                rows);
    }

    private static String dollars(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
