package petrichor.bench.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import petrichor.bench.LogChart;
import petrichor.bench.ResultTable;

/** Batches of puts of one size over one datastore, by an app. */
record BatchResult(String store, int entities, int users, UserRamp ramp) {
    private static final List<String> HEADER =
            List.of(
                    "store",
                    "entities in a batch",
                    "users",
                    "batches",
                    "failed",
                    "entities per second",
                    "mean ms",
                    "p50 ms",
                    "p90 ms",
                    "p99 ms");

    private List<String> row() {
        UserRamp.Interval end = ramp.end();
        List<String> row = new ArrayList<>();
        row.add(store);
        row.add(String.valueOf(entities));
        row.add(String.valueOf(users));
        row.add(String.valueOf(ramp.answers().size()));
        row.add(String.valueOf(ramp.failed()));
        row.add(number(end.perSecond() * entities));
        row.add(number(end.times().meanMicros() / 1e3));
        for (double share : new double[] {0.5, 0.9, 0.99}) {
            row.add(number(end.times().micros(share) / 1e3));
        }
        return row;
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** Writes CSV, SVG and the page. */
    static void write(List<BatchResult> results, Path out) throws IOException {
        Files.createDirectories(out);
        new ResultTable(HEADER, results.stream().map(BatchResult::row).toList())
                .write(out.resolve("apps-batches.csv"));
        LogChart chart =
                new LogChart(
                        "Batches of puts by an app, 4 users", "entities in a batch", "median, ms");
        for (BatchResult result : results) {
            double median = result.ramp().end().times().micros(0.5) / 1e3;
            if (median > 0) {
                chart.point(result.store(), result.entities(), median);
            }
        }
        Files.writeString(out.resolve("apps-batches.svg"), chart.svg());
        SeedPage.write(out);
    }
}
