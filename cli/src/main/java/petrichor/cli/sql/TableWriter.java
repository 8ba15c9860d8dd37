package petrichor.cli.sql;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tables for a terminal, in psql's form. The widths fit the first {@link #ROWS_MEASURED} rows;
 * longer cells of later rows move the cells behind them.
 */
final class TableWriter implements ResultWriter {
    private static final int ROWS_MEASURED = 500;

    private final PrintStream out;
    private final boolean expanded;
    private final PrintStream notes;
    private List<Column> columns = List.of();
    private int[] widths = {};
    private boolean headed;
    private long record;
    private final List<List<String>> waiting = new ArrayList<>();

    /**
     * @param expanded one line per column
     * @param notes for results of statements without rows
     */
    TableWriter(PrintStream out, boolean expanded, PrintStream notes) {
        this.out = out;
        this.expanded = expanded;
        this.notes = notes;
    }

    @Override
    public void begin(List<Column> all) {
        columns = all;
        headed = false;
        record = 0;
        widths = all.stream().mapToInt(column -> CellText.width(column.name())).toArray();
    }

    @Override
    public void row(List<@Nullable String> cells) {
        List<String> shown = new ArrayList<>(cells.size());
        for (String cell : cells) {
            shown.add(cell == null ? "" : CellText.shown(cell));
        }
        if (expanded) {
            record(shown);
        } else if (headed) {
            print(shown);
        } else {
            waiting.add(shown);
            if (waiting.size() == ROWS_MEASURED) {
                release();
            }
        }
    }

    private void record(List<String> cells) {
        int name = columns.stream().mapToInt(c -> CellText.width(c.name())).max().orElse(0);
        record++;
        String head = "-[ RECORD " + record + " ]";
        out.println(head + "-".repeat(Math.max(0, name + 2 - head.length())));
        for (int i = 0; i < cells.size(); i++) {
            String line =
                    CellText.padded(columns.get(i).name(), name, false) + " | " + cells.get(i);
            out.println(line.stripTrailing());
        }
    }

    private void release() {
        for (List<String> row : waiting) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], CellText.width(row.get(i)));
            }
        }
        StringBuilder head = new StringBuilder();
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            head.append(i == 0 ? " " : " | ")
                    .append(CellText.centred(columns.get(i).name(), widths[i]));
            line.append(i == 0 ? "" : "+").append("-".repeat(widths[i] + 2));
        }
        out.println(head.toString().stripTrailing());
        out.println(line);
        headed = true;
        waiting.forEach(this::print);
        waiting.clear();
    }

    private void print(List<String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(i == 0 ? " " : " | ")
                    .append(CellText.padded(cells.get(i), widths[i], columns.get(i).isNumber()));
        }
        out.println(line.toString().stripTrailing());
    }

    @Override
    public void end(long rows) {
        if (!expanded && !headed) {
            release();
        }
        if (!expanded || rows == 0) {
            out.println(rows == 1 ? "(1 row)" : String.format(Locale.ROOT, "(%d rows)", rows));
        }
        out.println();
    }

    @Override
    public void done(String tag) {
        notes.println(tag);
    }

    /** Text as it is, such as a plan. */
    void text(String text) {
        out.println(text);
    }
}
