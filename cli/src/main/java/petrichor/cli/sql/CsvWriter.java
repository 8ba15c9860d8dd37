package petrichor.cli.sql;

import java.io.PrintStream;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Comma-separated values with a header, as PostgreSQL writes them: NULL is empty, "" is quoted. */
final class CsvWriter implements ResultWriter {
    private static final Pattern PLAIN = Pattern.compile("[^\",\r\n]+");

    private final PrintStream out;
    private final PrintStream notes;

    CsvWriter(PrintStream out, PrintStream notes) {
        this.out = out;
        this.notes = notes;
    }

    @Override
    public void begin(List<Column> columns) {
        print(columns.stream().map(Column::name).toList());
    }

    @Override
    public void row(List<@Nullable String> cells) {
        print(cells);
    }

    private void print(List<? extends @Nullable String> cells) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            String cell = cells.get(i);
            line.append(i == 0 ? "" : ",").append(cell == null ? "" : quoted(cell));
        }
        out.println(line);
    }

    private static String quoted(String cell) {
        return PLAIN.matcher(cell).matches() ? cell : "\"" + cell.replace("\"", "\"\"") + "\"";
    }

    @Override
    public void end(long rows) {}

    @Override
    public void done(String tag) {
        notes.println(tag);
    }
}
