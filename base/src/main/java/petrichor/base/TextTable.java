package petrichor.base;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A table for a terminal: the column widths fit the first {@link #ROWS_MEASURED} rows; later rows
 * use the same columns, and their additional cells appear in an extra column at the end. Long cells
 * are truncated. Confined to one thread.
 */
public final class TextTable {
    private static final int ROWS_MEASURED = 500;
    private static final int CELL_CHARS_MAX = 48;
    private static final String GAP = "  ";

    /** Also an amount of money, and a dash for a missing value. */
    private static final Pattern NUMBER = Pattern.compile("[-$]|\\d");

    private final PrintStream out;
    private final List<Map<String, String>> waiting = new ArrayList<>();
    private final Map<String, Integer> widths = new LinkedHashMap<>();
    private final Set<String> texts = new HashSet<>();
    private final int cellCharsMax;
    private final boolean metrics;
    private boolean headed;

    public TextTable(PrintStream out) {
        this(out, CELL_CHARS_MAX, false);
    }

    private TextTable(PrintStream out, int cellCharsMax, boolean metrics) {
        this.out = out;
        this.cellCharsMax = cellCharsMax;
        this.metrics = metrics;
    }

    /** For few rows whose full text matters. */
    public static TextTable uncut(PrintStream out) {
        return new TextTable(out, Integer.MAX_VALUE, false);
    }

    /** For measurements: columns of numbers are aligned to the right. */
    public static TextTable metrics(PrintStream out) {
        return new TextTable(out, Integer.MAX_VALUE, true);
    }

    /**
     * @param cells alternating columns and cells
     */
    public void row(String... cells) {
        Map<String, String> row = new LinkedHashMap<>();
        for (int i = 0; i < cells.length; i += 2) {
            row.put(cells[i], cells[i + 1]);
        }
        row(row);
    }

    /** Cells by column. */
    public void row(Map<String, String> cells) {
        if (headed) {
            print(cells);
            return;
        }
        waiting.add(cells);
        if (waiting.size() == ROWS_MEASURED) {
            release();
        }
    }

    /** Prints the remaining rows. */
    public void end() {
        if (!headed && !waiting.isEmpty()) {
            release();
        }
    }

    private void release() {
        for (Map<String, String> row : waiting) {
            row.forEach(this::measure);
        }
        StringBuilder head = new StringBuilder();
        widths.keySet().forEach(column -> append(head, column, column));
        out.println(head.toString().stripTrailing());
        headed = true;
        waiting.forEach(this::print);
        waiting.clear();
    }

    private void print(Map<String, String> cells) {
        StringBuilder line = new StringBuilder();
        widths.keySet()
                .forEach(column -> append(line, column, shown(cells.getOrDefault(column, ""))));
        cells.forEach(
                (column, cell) -> {
                    if (!widths.containsKey(column)) {
                        line.append(column).append('=').append(shown(cell)).append(GAP);
                    }
                });
        out.println(line.toString().stripTrailing());
    }

    private void measure(String column, String cell) {
        int width = Math.max(column.length(), shown(cell).length());
        widths.merge(column, width, Math::max);
        if (!metrics || !(cell.isEmpty() || NUMBER.matcher(cell).lookingAt())) {
            texts.add(column);
        }
    }

    private void append(StringBuilder line, String column, String cell) {
        String space = " ".repeat(Math.max(0, widths.getOrDefault(column, 0) - cell.length()));
        boolean left = texts.contains(column);
        line.append(left ? cell : space).append(left ? space : cell).append(GAP);
    }

    /** One line of limited length; control characters would affect the terminal. */
    private String shown(String cell) {
        String plain = cell.replaceAll("\\p{Cntrl}", "·");
        return plain.length() <= cellCharsMax ? plain : plain.substring(0, cellCharsMax - 1) + "…";
    }
}
