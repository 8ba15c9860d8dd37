package petrichor.jobs.formats;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceFigures;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;

/**
 * Separated text: CSV, tab-separated values, TPC-H's tables. Only the columns that are named are
 * read. A field may stand in double quotes, with a quote in it doubled, but not contain a line end.
 * An empty field is null unless it holds text.
 *
 * @param path a file, or a folder of files
 * @param columns in ascending order of their index
 */
public record CsvSource(String path, Dialect dialect, List<CsvColumn> columns) implements Source {
    /**
     * How the text is written.
     *
     * @param header whether the first line of each file names the columns
     */
    public record Dialect(char separator, boolean header) implements Serializable {
        public Dialect {
            if (separator > 127 || separator == '"' || separator == '\n' || separator == '\r') {
                throw PetrichorException.invalid(
                        "a separator is one ASCII character that is no quote and no line end");
            }
        }

        public static final Dialect COMMA = new Dialect(',', true);

        /** TPC-H's .tbl. */
        public static final Dialect BAR = new Dialect('|', false);
    }

    public CsvSource {
        columns = List.copyOf(columns);
        if (columns.isEmpty()) {
            throw PetrichorException.invalid("name at least one column of " + path);
        }
        for (int i = 1; i < columns.size(); i++) {
            if (columns.get(i).index() <= columns.get(i - 1).index()) {
                throw PetrichorException.invalid(
                        "the columns of " + path + " must be in ascending order");
            }
        }
    }

    /** All columns, in order. */
    public static CsvSource of(String path, Dialect dialect, Field... fields) {
        List<CsvColumn> columns = new ArrayList<>();
        for (int i = 0; i < fields.length; i++) {
            columns.add(new CsvColumn(i, fields[i]));
        }
        return new CsvSource(path, dialect, columns);
    }

    @Override
    public String name() {
        return path;
    }

    @Override
    public RecordType type() {
        return RecordType.of(columns.stream().map(CsvColumn::field).toList());
    }

    @Override
    public SourceFigures figures() {
        return FileSplit.figures(path, 0);
    }

    @Override
    public List<Split> splits(int wanted) throws IOException {
        return FileSplit.cut(path, wanted, 1);
    }

    @Override
    public SplitReader open(Split split) throws IOException {
        FileSplit part = (FileSplit) split;
        CsvLine line = new CsvLine(this);
        LineReader reader = new LineReader(part, line);
        if (dialect.header() && part.from() == 0) {
            line.skipHeader();
        }
        return reader;
    }
}
