package petrichor.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows in columns that fit the first {@link #ROWS_MEASURED} of them; later rows keep these columns,
 * and what they have besides is shown in a column of its own at the end. Long cells are cut.
 * Belongs to one thread.
 */
final class Table {
    private static final int ROWS_MEASURED = 500;
    private static final int CELL_CHARS_MAX = 48;
    private static final String GAP = "  ";

    private final PrintStream out;
    private final List<Map<String, String>> waiting = new ArrayList<>();
    private final Map<String, Integer> widths = new LinkedHashMap<>();
    private final int cellCharsMax;
    private boolean headed;

    Table(PrintStream out) {
        this(out, CELL_CHARS_MAX);
    }

    private Table(PrintStream out, int cellCharsMax) {
        this.out = out;
        this.cellCharsMax = cellCharsMax;
    }

    /** For few rows whose text matters to its end. */
    static Table uncut(PrintStream out) {
        return new Table(out, Integer.MAX_VALUE);
    }

    /** Cells by column. */
    void row(Map<String, String> cells) {
        if (headed) {
            print(cells);
            return;
        }
        waiting.add(cells);
        if (waiting.size() == ROWS_MEASURED) {
            release();
        }
    }

    /** Prints what still waits. */
    void end() {
        if (!headed && !waiting.isEmpty()) {
            release();
        }
    }

    private void release() {
        for (Map<String, String> row : waiting) {
            row.forEach(
                    (column, cell) ->
                            widths.merge(
                                    column,
                                    Math.max(column.length(), shown(cell).length()),
                                    Math::max));
        }
        StringBuilder head = new StringBuilder();
        widths.forEach((column, width) -> append(head, column, width));
        out.println(head.toString().stripTrailing());
        headed = true;
        waiting.forEach(this::print);
        waiting.clear();
    }

    private void print(Map<String, String> cells) {
        StringBuilder line = new StringBuilder();
        widths.forEach(
                (column, width) -> append(line, shown(cells.getOrDefault(column, "")), width));
        cells.forEach(
                (column, cell) -> {
                    if (!widths.containsKey(column)) {
                        line.append(column).append('=').append(shown(cell)).append(GAP);
                    }
                });
        out.println(line.toString().stripTrailing());
    }

    private static void append(StringBuilder line, String cell, int width) {
        line.append(cell).append(" ".repeat(Math.max(0, width - cell.length()))).append(GAP);
    }

    /** One line, and not too much of it; control characters would play with the terminal. */
    private String shown(String cell) {
        String plain = cell.replaceAll("\\p{Cntrl}", "·");
        return plain.length() <= cellCharsMax ? plain : plain.substring(0, cellCharsMax - 1) + "…";
    }
}
