package petrichor.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/** Rows of separated text. A value that is the null text without quotes is NULL. */
final class CsvRows implements ImportedRows {
    private final CSVParser parser;
    private final Iterator<CSVRecord> records;
    private final CSVFormat format;
    private final List<String> columns;
    private final @Nullable CSVRecord first;
    private boolean firstRead;

    private CsvRows(CSVParser parser, CSVFormat format, List<String> names, boolean header) {
        this.parser = parser;
        this.format = format;
        this.records = parser.iterator();
        CSVRecord top = records.hasNext() ? records.next() : null;
        if (!names.isEmpty()) {
            columns = names;
        } else if (top == null) {
            columns = List.of();
        } else {
            List<String> found = new ArrayList<>();
            for (int i = 0; i < top.size(); i++) {
                found.add(header ? String.valueOf(top.get(i)).strip() : "column" + (i + 1));
            }
            columns = found;
        }
        first = header ? null : top;
        if (new HashSet<>(columns).size() < columns.size() || columns.contains("")) {
            throw PetrichorException.invalid(
                    "the header has an empty name, or a name twice: {columns}; name the columns"
                            + " with --columns",
                    "columns",
                    String.join(", ", columns));
        }
    }

    /**
     * @param names the columns; empty for those of the header, or {@code column1} and so on
     * @param nullText the text of NULL
     */
    static CsvRows of(
            BufferedReader reader,
            List<String> names,
            boolean header,
            char delimiter,
            String nullText)
            throws IOException {
        CSVFormat format =
                CSVFormat.DEFAULT
                        .builder()
                        .setDelimiter(delimiter)
                        .setNullString(nullText)
                        .setRecordSeparator('\n')
                        .get();
        reader.mark(1);
        if (reader.read() != '\uFEFF') {
            reader.reset();
        }
        CSVParser parser = CSVParser.builder().setReader(reader).setFormat(format).get();
        return new CsvRows(parser, format, names, header);
    }

    @Override
    public List<String> columns() {
        return columns;
    }

    @Override
    public @Nullable Row next() {
        CSVRecord record = first;
        if (firstRead || record == null) {
            long line = parser.getCurrentLineNumber() + 1;
            try {
                if (!records.hasNext()) {
                    return null;
                }
                record = records.next();
            } catch (UncheckedIOException | IllegalStateException | NoSuchElementException bad) {
                return new Unreadable(line, "not CSV: " + bad.getMessage(), "");
            }
        }
        firstRead = true;
        long line = record.getRecordNumber() == 1 ? 1 : lineOf(record);
        List<@Nullable String> cells = new ArrayList<>(record.size());
        for (int i = 0; i < record.size(); i++) {
            cells.add(record.get(i));
        }
        String source = format.format((Object[]) record.values());
        return cells.size() == columns.size()
                ? new Values(line, cells, source)
                : new Unreadable(
                        line, cells.size() + " values for " + columns.size() + " columns", source);
    }

    /** The parser is at the end of the record. */
    private long lineOf(CSVRecord record) {
        long breaks = 0;
        for (String cell : record) {
            breaks += cell == null ? 0 : cell.chars().filter(c -> c == '\n').count();
        }
        return parser.getCurrentLineNumber() - breaks;
    }

    @Override
    public void close() {
        try {
            parser.close();
        } catch (IOException alreadyRead) {
            return;
        }
    }
}
