package petrichor.cli.apps;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import petrichor.apps.scaling.InstancePrice;
import petrichor.apps.scaling.SimulationReport;
import petrichor.apps.scaling.SimulationReport.Sample;

/** A simulation of scaling as text, lines or an object. */
record SimulationText(SimulationReport report, InstancePrice price) {
    private static final int CHANGES_SHOWN = 30;
    private static final double PERCENT = 100;
    private static final double MILLIS_PER_SECOND = 1000;

    String summary() {
        SimulationReport.Requests requests = report.requests();
        SimulationReport.Latencies pending = requests.pending();
        SimulationReport.Usage usage = report.usage();
        StringBuilder text = new StringBuilder();
        line(
                text,
                "%,d requests, %,d of them (%.1f %%) waited for an instance%s",
                requests.arrived(),
                requests.waited(),
                requests.arrived() == 0 ? 0 : PERCENT * requests.waited() / requests.arrived(),
                requests.unfinished() == 0
                        ? ""
                        : String.format(
                                Locale.ROOT, ", %,d are unfinished", requests.unfinished()));
        line(
                text,
                "pending latency: p50 %s, p99 %s, max %s",
                time(pending.p50()),
                time(pending.p99()),
                time(pending.max()));
        line(text, "instances: at most %d, %,d cold starts", usage.instancesMax(), usage.starts());
        line(
                text,
                "cost: %.3f instance hours, %s: $%.4f",
                usage.instanceHours(),
                String.format(Locale.ROOT, "$%.3f each", price.dollars())
                        + (price.tail().isZero()
                                ? ""
                                : " and "
                                        + price.tail().toMinutes()
                                        + " minutes after the end of each"),
                price.of(usage));
        text.append(System.lineSeparator());
        changes(text);
        return text.toString();
    }

    private void changes(StringBuilder text) {
        line(text, "%10s  %9s  %s", "seconds", "instances", "reason");
        List<Sample> samples = report.samples();
        int shown = 0;
        int left = 0;
        int before = 0;
        for (Sample sample : samples) {
            int instances = sample.decision().instances();
            if (instances != before) {
                if (shown < CHANGES_SHOWN) {
                    line(
                            text,
                            "%10.1f  %9d  %s",
                            sample.at().toMillis() / MILLIS_PER_SECOND,
                            instances,
                            sample.decision().reason().text());
                    shown++;
                } else {
                    left++;
                }
                before = instances;
            }
        }
        if (left > 0) {
            line(text, "%,d further changes; --csv prints every second", left);
        }
    }

    String csv() {
        StringBuilder text = new StringBuilder();
        text.append("seconds,wanted,ready,starting,draining,in_progress,pending,reason\n");
        for (Sample sample : report.samples()) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%.3f,%d,%d,%d,%d,%d,%d,%s%n",
                            sample.at().toMillis() / MILLIS_PER_SECOND,
                            sample.decision().instances(),
                            sample.instances().ready(),
                            sample.instances().starting(),
                            sample.instances().draining(),
                            sample.inProgress(),
                            sample.pending(),
                            sample.decision().reason().name().toLowerCase(Locale.ROOT)));
        }
        return text.toString();
    }

    /** With a sample per change, so that the object stays small. */
    JsonObject json() {
        SimulationReport.Requests requests = report.requests();
        SimulationReport.Usage usage = report.usage();
        JsonObject pending = new JsonObject();
        pending.addProperty("p50", requests.pending().p50().toMillis());
        pending.addProperty("p99", requests.pending().p99().toMillis());
        pending.addProperty("max", requests.pending().max().toMillis());
        JsonObject json = new JsonObject();
        json.addProperty("requests", requests.arrived());
        json.addProperty("waited", requests.waited());
        json.addProperty("unfinished", requests.unfinished());
        json.add("pendingMilliseconds", pending);
        json.addProperty("instancesMax", usage.instancesMax());
        json.addProperty("coldStarts", usage.starts());
        json.addProperty("instanceHours", usage.instanceHours());
        json.addProperty("dollars", price.of(usage));
        JsonArray changes = new JsonArray();
        int before = 0;
        for (Sample sample : report.samples()) {
            if (sample.decision().instances() != before) {
                before = sample.decision().instances();
                JsonObject change = new JsonObject();
                change.addProperty("milliseconds", sample.at().toMillis());
                change.addProperty("instances", before);
                change.addProperty("explanation", sample.decision().explanation());
                changes.add(change);
            }
        }
        json.add("changes", changes);
        return json;
    }

    private static String time(Duration time) {
        return time.toMillis() < MILLIS_PER_SECOND
                ? time.toMillis() + " ms"
                : String.format(Locale.ROOT, "%.1f s", time.toMillis() / MILLIS_PER_SECOND);
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void line(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append(System.lineSeparator());
    }
}
