package petrichor.jobs.pact.compiler;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An explanation as a drawing (SVG): sources at the top, sinks at the bottom, and on every line how
 * records are shipped.
 */
final class ExplanationDrawing {
    private static final int BOX_WIDTH = 300;
    private static final int BOX_HEIGHT = 66;
    private static final int GAP_X = 40;
    private static final int GAP_Y = 64;
    private static final int LINE = 18;

    private final Explanation explanation;
    private final Map<Integer, Integer> depths = new HashMap<>();
    private final Map<Integer, Integer> columns = new HashMap<>();

    private ExplanationDrawing(Explanation explanation) {
        this.explanation = explanation;
        Map<Integer, Integer> used = new HashMap<>();
        for (var contract : explanation.contracts()) {
            int depth = 0;
            for (var input : contract.inputs()) {
                depth = Math.max(depth, depths.getOrDefault(input.from(), 0) + 1);
            }
            depths.put(contract.id(), depth);
            columns.put(contract.id(), used.merge(depth, 1, Integer::sum) - 1);
        }
    }

    static String of(Explanation explanation) {
        return new ExplanationDrawing(explanation).svg();
    }

    private String svg() {
        int wide = columns.values().stream().mapToInt(Integer::intValue).max().orElse(0) + 1;
        int high = depths.values().stream().mapToInt(Integer::intValue).max().orElse(0) + 1;
        var svg = new StringBuilder();
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                                + " font-family=\"sans-serif\" font-size=\"12\">\n",
                        wide * (BOX_WIDTH + GAP_X) + GAP_X,
                        high * (BOX_HEIGHT + GAP_Y)));
        explanation.contracts().forEach(contract -> lines(contract, svg));
        explanation.contracts().forEach(contract -> box(contract, svg));
        return svg.append("</svg>\n").toString();
    }

    private int x(int id) {
        return GAP_X + columns.getOrDefault(id, 0) * (BOX_WIDTH + GAP_X);
    }

    private int y(int id) {
        return GAP_Y / 4 + depths.getOrDefault(id, 0) * (BOX_HEIGHT + GAP_Y);
    }

    private void box(Explanation.Explained contract, StringBuilder svg) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\""
                                + " fill=\"#eef4f0\" stroke=\"#3b6b4f\"/>\n",
                        x(contract.id()),
                        y(contract.id()),
                        BOX_WIDTH,
                        BOX_HEIGHT));
        var lines = List.of(ExplanationText.label(contract, "\n").split("\n", -1));
        for (int line = 0; line < lines.size(); line++) {
            text(x(contract.id()) + 10, y(contract.id()) + LINE * (line + 1), lines.get(line), svg);
        }
    }

    private void lines(Explanation.Explained contract, StringBuilder svg) {
        int count = contract.inputs().size();
        for (int input = 0; input < count; input++) {
            var incoming = contract.inputs().get(input);
            int fromX = x(incoming.from()) + BOX_WIDTH / 2;
            int fromY = y(incoming.from()) + BOX_HEIGHT;
            int toX = x(contract.id()) + BOX_WIDTH * (input + 1) / (count + 1);
            int toY = y(contract.id());
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#888\"/>\n",
                            fromX,
                            fromY,
                            toX,
                            toY));
            var words = ExplanationText.line(incoming);
            // The line shows where the input comes from; the text only says how it is shipped.
            text(
                    toX + 4,
                    toY - 8 - LINE * (input % 2),
                    words.substring(words.indexOf(" by ") + 4),
                    svg);
        }
    }

    private static void text(int x, int y, String text, StringBuilder svg) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<text x=\"%d\" y=\"%d\">%s</text>\n",
                        x,
                        y,
                        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
    }
}
