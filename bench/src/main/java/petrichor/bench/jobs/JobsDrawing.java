package petrichor.bench.jobs;

import java.util.Locale;

/**
 * Processor seconds of everybody over ours, as bars: longer than the line is dearer than we are.
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
        StringBuilder rows = new StringBuilder();
        int y = TOP;
        for (JobsReport.Line line : report.lines()) {
            boolean ours = line.contender().equals(JobContenders.OURS);
            y += ours ? ROW_HEIGHT / 2 : 0;
            row(rows, y, line, ours);
            y += ROW_HEIGHT;
        }
        int one = LABEL_WIDTH + SCALE;
        int width = LABEL_WIDTH + (int) (SCALE * SHOWN_MAX) + 160;
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">%n"
                        .formatted(width, y + 10)
                + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                + "<text x=\"8\" y=\"18\" font-weight=\"bold\">Processor seconds over Petrichor's"
                + " (medians; the line is 1; red: a promise missed)</text>\n"
                + rows
                + "<line x1=\"%d\" y1=\"28\" x2=\"%d\" y2=\"%d\" stroke=\"#333\"/>%n</svg>%n"
                        .formatted(one, one, y);
    }

    private void row(StringBuilder rows, int y, JobsReport.Line line, boolean ours) {
        double times = 1 / report.ratio(line);
        int length = (int) (Math.min(times, SHOWN_MAX) * SCALE);
        String colour =
                ours
                        ? OURS
                        : !report.met(line)
                                ? MISSED
                                : Double.isInfinite(report.promised(line)) ? NOT_PROMISED : MET;
        rows.append(
                String.format(
                        Locale.ROOT,
                        "<text x=\"8\" y=\"%d\">%s, %s</text><rect x=\"%d\" y=\"%d\" width=\"%d\""
                                + " height=\"%d\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%.2f (%.1f"
                                + " s)</text>%n",
                        y + 11,
                        line.job().word(),
                        line.contender(),
                        LABEL_WIDTH,
                        y,
                        length,
                        BAR_HEIGHT,
                        colour,
                        LABEL_WIDTH + length + 4,
                        y + 11,
                        times,
                        line.cpu()));
    }
}
