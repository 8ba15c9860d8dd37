package petrichor.bench.stores;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.Function;
import petrichor.charts.Svg;

/** {@link Findings} as one self-contained page, and its overview as a drawing. */
record FindingsPage(Findings findings) {
    private static final String STYLE =
            """
            body { font: 15px/1.5 sans-serif; color: #222; max-width: 1240px; margin: 2em auto; padding: 0 1em; }
            h1 { font-size: 1.6em; } h2 { font-size: 1.2em; margin-top: 2em; }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
            th, td { padding: 2px 10px; text-align: right; border-bottom: 1px solid #e4e4e4; }
            th:first-child, td:first-child { text-align: left; }
            .charts { display: flex; flex-wrap: wrap; gap: 8px; } .key { display: inline-block; width: 1em; height: 1em; vertical-align: -2px; }
            .scroll { overflow-x: auto; }
            """;

    /** Writes {@code stores.html} and {@code stores.svg}. */
    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("stores.html"), html());
        Files.writeString(folder.resolve("stores.svg"), new FindingsCharts(findings).sheet());
    }

    private String html() {
        StringBuilder page = new StringBuilder();
        page.append(
                "<!doctype html>\n"
                        + "<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\""
                        + " content=\"width=device-width\"><title>Datastores"
                        + " compared</title><style>\n");
        page.append(STYLE).append("</style></head><body>\n<h1>Datastores compared</h1>\n");
        head(page);
        FindingsCharts charts = new FindingsCharts(findings);
        for (Workload workload : findings.plan().workloads()) {
            page.append("<h2>").append(Svg.escaped(workload.title())).append("</h2>\n");
            page.append("<div class=\"charts\">\n")
                    .append(charts.throughput(workload).svg(0, 0))
                    .append(charts.latencies(workload).svg(0, 0))
                    .append("</div>\n");
            metrics(page, workload);
        }
        if (!findings.breakdowns().isEmpty()) {
            breakdown(page, charts);
        }
        return page.append("</body></html>\n").toString();
    }

    private void head(StringBuilder page) {
        page.append("<p>");
        for (int i = 0; i < findings.stores().size(); i++) {
            page.append(
                    "<span class=\"key\" style=\"background:%s\"></span> %s &nbsp; "
                            .formatted(Chart.colour(i), Svg.escaped(findings.stores().get(i))));
        }
        page.append("&nbsp; solid: in a transaction; dashed: without (notrans)</p>\n");
        page.append(
                String.format(
                        Locale.ROOT,
                        "<p>Measured %s UTC on %s %s with %d processors and Java %s: %,d entities,"
                            + " %s s for each figure, in one process with Petrichor's entity layer;"
                            + " stores took turns.</p>%n",
                        DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT)
                                .format(findings.began().atZone(ZoneOffset.UTC)),
                        System.getProperty("os.name"),
                        System.getProperty("os.arch"),
                        Runtime.getRuntime().availableProcessors(),
                        Runtime.version().feature(),
                        findings.plan().entities(),
                        NumberFormat.brief(findings.plan().length().toMillis() / 1e3)));
        if (!findings.notes().isEmpty()) {
            page.append("<ul>\n");
            findings.notes()
                    .forEach(note -> page.append("<li>").append(Svg.escaped(note)).append("\n"));
            page.append("</ul>\n");
        }
        page.append("<table><tr><th>loading<th>entities<th>seconds<th>per second\n");
        for (Findings.Loading one : findings.loadings()) {
            page.append(
                    String.format(
                            Locale.ROOT,
                            "<tr><td>%s<td>%,d<td>%.1f<td>%,.0f%n",
                            Svg.escaped(one.store()),
                            one.entities(),
                            one.seconds(),
                            one.perSecond()));
        }
        page.append("</table>\n");
    }

    private void metrics(StringBuilder page, Workload workload) {
        page.append("<div class=\"scroll\"><table><tr><th>");
        findings.plan().clients().forEach(clients -> page.append("<th>").append(clients));
        page.append("\n");
        for (String store : findings.stores()) {
            for (boolean transaction : Plan.modes(workload)) {
                String name =
                        Svg.escaped(store)
                                + (workload.transactional()
                                        ? transaction ? ", transaction" : ", notrans"
                                        : "");
                Plan.Task task = new Plan.Task(workload, transaction, 1);
                row(page, name + ", per second", store, task, Load.Result::perSecond);
                row(page, "&emsp;p50 ms", store, task, result -> millis(result, 0.5));
                row(page, "&emsp;p99 ms", store, task, result -> millis(result, 0.99));
            }
        }
        page.append("</table></div>\n");
    }

    private static double millis(Load.Result result, double share) {
        return result.latencies().micros(share) / 1e3;
    }

    private void row(
            StringBuilder page,
            String name,
            String store,
            Plan.Task task,
            Function<Load.Result, Double> metric) {
        page.append("<tr><td>").append(name);
        for (int clients : findings.plan().clients()) {
            page.append("<td>")
                    .append(
                            findings.point(store, task.with(clients))
                                    .map(point -> NumberFormat.text(metric.apply(point.result())))
                                    .orElse("&ndash;"));
        }
        page.append("\n");
    }

    private void breakdown(StringBuilder page, FindingsCharts charts) {
        page.append(
                "<h2>The steps of a put</h2>\n<p>Without a transaction, of a new entity; means. ");
        for (PutSteps.Step step : PutSteps.Step.values()) {
            page.append(
                    "<span class=\"key\" style=\"background:%s\"></span> %s &nbsp; "
                            .formatted(step.colour(), step.title()));
        }
        page.append("</p>\n").append(charts.putBars());
        page.append("<table><tr><th>µs");
        for (PutSteps.Step step : PutSteps.Step.values()) {
            page.append("<th>").append(step.title());
        }
        page.append("<th>together\n");
        for (Findings.PutBreakdown one : findings.breakdowns()) {
            page.append(
                    "<tr><td>%s, %d client(s)".formatted(Svg.escaped(one.store()), one.clients()));
            for (PutSteps.Step step : PutSteps.Step.values()) {
                page.append("<td>").append(NumberFormat.text(one.micros(step)));
            }
            page.append("<td>").append(NumberFormat.text(one.totalMicros())).append("\n");
        }
        page.append("</table>\n");
    }
}
