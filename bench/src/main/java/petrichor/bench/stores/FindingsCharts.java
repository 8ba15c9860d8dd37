package petrichor.bench.stores;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import petrichor.charts.Svg;

/** Charts of {@link Findings}: one colour per store, solid with transactions and dashed without. */
record FindingsCharts(Findings findings) {
    /** Latencies are drawn for the number of clients nearest to this. */
    private static final int TYPICAL_CLIENTS = 10;

    private static final int COLUMNS = 3;
    private static final int LEGEND_HEIGHT = 34;
    private static final int BAR_HEIGHT = 22;
    private static final int BAR_WIDTH = 620;
    private static final int BAR_LEFT = 190;

    Chart throughput(Workload workload) {
        List<Chart.Line> lines = new ArrayList<>();
        for (int i = 0; i < findings.stores().size(); i++) {
            for (boolean transaction : new boolean[] {true, false}) {
                List<Chart.Dot> dots = new ArrayList<>();
                for (int clients : findings.plan().clients()) {
                    findings.point(
                                    findings.stores().get(i),
                                    new Plan.Task(workload, transaction, clients))
                            .ifPresent(
                                    point ->
                                            dots.add(
                                                    new Chart.Dot(
                                                            clients, point.result().perSecond())));
                }
                addLine(lines, i, workload, transaction, dots);
            }
        }
        return new Chart(
                workload.title(),
                new Chart.Axis("clients", true),
                new Chart.Axis("per second", true),
                lines);
    }

    /** The cumulative distribution of the latencies. */
    Chart latencies(Workload workload) {
        int clients = typicalClients();
        List<Chart.Line> lines = new ArrayList<>();
        for (int i = 0; i < findings.stores().size(); i++) {
            for (boolean transaction : new boolean[] {true, false}) {
                List<Chart.Dot> dots =
                        findings
                                .point(
                                        findings.stores().get(i),
                                        new Plan.Task(workload, transaction, clients))
                                .map(point -> point.result().latencies().distribution())
                                .orElse(List.of())
                                .stream()
                                .map(share -> new Chart.Dot(share.micros() / 1e3, share.share()))
                                .toList();
                addLine(lines, i, workload, transaction, dots);
            }
        }
        return new Chart(
                workload.title() + ", " + clients + (clients == 1 ? " client" : " clients"),
                new Chart.Axis("milliseconds", true),
                new Chart.Axis("share of operations within", false),
                lines);
    }

    private void addLine(
            List<Chart.Line> lines,
            int store,
            Workload workload,
            boolean transaction,
            List<Chart.Dot> dots) {
        if (!dots.isEmpty()) {
            lines.add(
                    new Chart.Line(
                            findings.stores().get(store),
                            Chart.colour(store),
                            workload.transactional() && !transaction,
                            dots));
        }
    }

    private int typicalClients() {
        int nearest = findings.plan().clients().getFirst();
        for (int clients : findings.plan().clients()) {
            if (Math.abs(clients - TYPICAL_CLIENTS) < Math.abs(nearest - TYPICAL_CLIENTS)) {
                nearest = clients;
            }
        }
        return nearest;
    }

    /** The throughput of all operations on one sheet. */
    String sheet() {
        List<Workload> workloads = findings.plan().workloads();
        int rows = (workloads.size() + COLUMNS - 1) / COLUMNS;
        int width = COLUMNS * Chart.WIDTH;
        int height = LEGEND_HEIGHT + rows * Chart.HEIGHT;
        StringBuilder svg =
                new StringBuilder(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n"
                                .formatted(width, height));
        for (int i = 0; i < findings.stores().size(); i++) {
            svg.append(
                    "<text x=\"%d\" y=\"22\" fill=\"%s\" font-weight=\"bold\">%s</text>%n"
                            .formatted(
                                    62 + i * 160,
                                    Chart.colour(i),
                                    Svg.escaped(findings.stores().get(i))));
        }
        svg.append(
                "<text x=\"%d\" y=\"22\" text-anchor=\"end\">solid: in a transaction; dashed: without</text>%n"
                        .formatted(width - 12));
        for (int i = 0; i < workloads.size(); i++) {
            svg.append(
                    throughput(workloads.get(i))
                            .svg(
                                    i % COLUMNS * Chart.WIDTH,
                                    LEGEND_HEIGHT + i / COLUMNS * Chart.HEIGHT));
        }
        return svg.append("</svg>\n").toString();
    }

    /** A bar for each store and number of clients, divided into the steps of a put. */
    String putBars() {
        List<Findings.PutBreakdown> all = findings.breakdowns();
        double longest =
                all.stream().mapToDouble(Findings.PutBreakdown::totalMicros).max().orElse(1);
        StringBuilder svg =
                new StringBuilder(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">%n"
                                .formatted(BAR_LEFT + BAR_WIDTH + 90, all.size() * BAR_HEIGHT + 4));
        for (int i = 0; i < all.size(); i++) {
            Findings.PutBreakdown one = all.get(i);
            int y = i * BAR_HEIGHT;
            svg.append(
                    "<text x=\"0\" y=\"%d\">%s, %d client(s)</text>%n"
                            .formatted(y + 15, Svg.escaped(one.store()), one.clients()));
            double x = BAR_LEFT;
            for (PutSteps.Step step : PutSteps.Step.values()) {
                double width = one.micros(step) / longest * BAR_WIDTH;
                svg.append(
                        String.format(
                                Locale.ROOT,
                                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\""
                                        + " fill=\"%s\"><title>%s: %s µs</title></rect>%n",
                                x,
                                y + 2,
                                Math.max(0, width),
                                BAR_HEIGHT - 6,
                                step.colour(),
                                step.title(),
                                NumberFormat.text(one.micros(step))));
                x += Math.max(0, width);
            }
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<text x=\"%.1f\" y=\"%d\">%s µs</text>%n",
                            x + 5,
                            y + 15,
                            NumberFormat.text(one.totalMicros())));
        }
        return svg.append("</svg>\n").toString();
    }
}
