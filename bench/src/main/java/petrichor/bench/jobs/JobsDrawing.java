package petrichor.bench.jobs;

import java.util.Locale;
import petrichor.charts.Svg;

/**
 * Ratios of processor seconds, the others' to Petrichor's, as bars: a bar beyond the line costs
 * more than Petrichor.
 */
final class JobsDrawing {
    private static final int LABEL_WIDTH = 160;
    private static final int ROW_HEIGHT = 20;
    private static final int BAR_HEIGHT = 14;
    private static final int TOP = 32;
    private static final int SCALE = 60;
    private static final double SHOWN_MAX = 10;
    private static final String OURS = "#3b6ea8";
    private static final String MET = "#4a9d6a";
    private static final String MISSED = "#c8553d";
    private static final String NOT_PROMISED = "#8aa4c8";

    private final JobsReport report;

    JobsDrawing(JobsReport report) {
        this.report = report;
    }

    String svg() {
        Svg svg =
                new Svg(LABEL_WIDTH + (int) (SCALE * SHOWN_MAX) + 160, 12)
                        .title(
                                8,
                                "Processor seconds relative to Petrichor's (medians; the line is 1;"
                                        + " red: a promise missed)");
        int y = TOP;
        for (JobsReport.Line line : report.lines()) {
            boolean ours = line.contender().equals(JobContenders.OURS);
            y += ours ? ROW_HEIGHT / 2 : 0;
            row(svg, y, line, ours);
            y += ROW_HEIGHT;
        }
        int one = LABEL_WIDTH + SCALE;
        return svg.line(one, 28, one, y, "#333", 1).drawn(y + 10);
    }

    private void row(Svg svg, int y, JobsReport.Line line, boolean ours) {
        double times = 1 / report.ratio(line);
        int length = (int) (Math.min(times, SHOWN_MAX) * SCALE);
        svg.text(8, y + 11, line.job().displayName() + ", " + line.contender())
                .box(LABEL_WIDTH, y, length, BAR_HEIGHT, ours ? OURS : colour(line))
                .text(
                        LABEL_WIDTH + length + 4,
                        y + 11,
                        String.format(Locale.ROOT, "%.2f (%.1f s)", times, line.cpu()));
    }

    private String colour(JobsReport.Line line) {
        if (!report.met(line)) {
            return MISSED;
        }
        return Double.isInfinite(report.promised(line)) ? NOT_PROMISED : MET;
    }
}
