package petrichor.bench.stores;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** {@link Findings} for machines: three CSV files, or one JSON object per line. */
record FindingsFiles(Findings findings) {

    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("stores.csv"), points());
        Files.writeString(folder.resolve("stores-latencies.csv"), latencies());
        Files.writeString(folder.resolve("stores-put.csv"), breakdowns());
    }

    private String points() {
        StringBuilder csv =
                new StringBuilder(
                        "store,operation,transaction,clients,samples,seconds,per_second,mean_us,p50_us,p90_us,p99_us,longest_us,aborted,failed\n");
        for (Findings.Point point : findings.points()) {
            Load.Result result = point.result();
            Latencies latencies = result.latencies();
            csv.append(
                    String.format(
                            Locale.ROOT,
                            "%s,%d,%.3f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%d,%d%n",
                            place(point),
                            latencies.count(),
                            result.seconds(),
                            result.perSecond(),
                            latencies.meanMicros(),
                            latencies.micros(0.5),
                            latencies.micros(0.9),
                            latencies.micros(0.99),
                            latencies.longestMicros(),
                            result.aborted(),
                            result.failed()));
        }
        return csv.toString();
    }

    /** The cumulative distributions. */
    private String latencies() {
        StringBuilder csv =
                new StringBuilder("store,operation,transaction,clients,latency_us,share\n");
        for (Findings.Point point : findings.points()) {
            for (Latencies.Share share : point.result().latencies().distribution()) {
                csv.append(
                        String.format(
                                Locale.ROOT,
                                "%s,%.3f,%.5f%n",
                                place(point),
                                share.micros(),
                                share.share()));
            }
        }
        return csv.toString();
    }

    private String breakdowns() {
        StringBuilder csv = new StringBuilder("store,clients,samples,step,mean_us\n");
        for (Findings.PutBreakdown one : findings.breakdowns()) {
            for (PutSteps.Step step : PutSteps.Step.values()) {
                csv.append(
                        String.format(
                                Locale.ROOT,
                                "%s,%d,%d,%s,%.2f%n",
                                quoted(one.store()),
                                one.clients(),
                                one.samples(),
                                step.title(),
                                one.micros(step)));
            }
        }
        return csv.toString();
    }

    private static String place(Findings.Point point) {
        return "%s,%s,%s,%d"
                .formatted(
                        quoted(point.store()),
                        quoted(point.task().workload().title()),
                        point.task().transaction() ? "yes" : "no",
                        point.task().clients());
    }

    private static String quoted(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }

    /** One object for each point, each breakdown and each note. */
    void printJson(PrintStream out) {
        Gson gson = new Gson();
        for (Findings.Point point : findings.points()) {
            Load.Result result = point.result();
            JsonObject line = new JsonObject();
            line.addProperty("store", point.store());
            line.addProperty("operation", point.task().workload().title());
            line.addProperty("transaction", point.task().transaction());
            line.addProperty("clients", point.task().clients());
            line.addProperty("samples", result.latencies().count());
            line.addProperty("perSecond", result.perSecond());
            line.addProperty("p50Micros", result.latencies().micros(0.5));
            line.addProperty("p99Micros", result.latencies().micros(0.99));
            line.addProperty("aborted", result.aborted());
            line.addProperty("failed", result.failed());
            out.println(gson.toJson(line));
        }
        for (Findings.PutBreakdown one : findings.breakdowns()) {
            JsonObject line = new JsonObject();
            line.addProperty("store", one.store());
            line.addProperty("operation", "steps of a put");
            line.addProperty("clients", one.clients());
            for (PutSteps.Step step : PutSteps.Step.values()) {
                line.addProperty(step.name().toLowerCase(Locale.ROOT) + "Micros", one.micros(step));
            }
            out.println(gson.toJson(line));
        }
        for (String note : findings.notes()) {
            JsonObject line = new JsonObject();
            line.addProperty("note", note);
            out.println(gson.toJson(line));
        }
    }
}
