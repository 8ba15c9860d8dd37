package petrichor.jobs.formats;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;

/**
 * Separated text (RFC 4180): CSV, tab-separated values, TPC-H's tables, compressed or not. Only
 * named columns are read. Where the dialect has a header, columns are found by its names,
 * separately in each file; a file that lacks one is an error before any record is read; a line with
 * more columns than its header is an error, too. Positions are used only on request.
 *
 * <p>A field in double quotes may hold separators, line ends and doubled quotes. An empty field is
 * null; {@code ""} is an empty text. Empty lines are skipped, unless a record has one column. A
 * byte order mark is skipped.
 *
 * <p>Large files are cut into splits anywhere. Whether a split starts within quotes is inferred
 * from the quotes that follow, and every split verifies the next one's inference when it ends: a
 * wrong inference fails the job and never changes a result. {@link #unsplit} reads such files.
 *
 * @param path a file, a folder of files, or a pattern such as {@code data/*.csv}
 * @param unsplit whether each file is one split
 */
public record CsvSource(String path, Dialect dialect, CsvColumns columns, boolean unsplit)
        implements Source {
    /**
     * The syntax.
     *
     * @param header whether the first record of each file names the columns
     */
    public record Dialect(char separator, boolean header) implements Serializable {
        public Dialect {
            if (separator > 127 || separator == '"' || separator == '\n' || separator == '\r') {
                throw PetrichorException.invalid(
                        "a separator is one ASCII character other than quotes and line ends");
            }
        }

        public static final Dialect COMMA = new Dialect(',', true);

        /** TPC-H's .tbl. */
        public static final Dialect BAR = new Dialect('|', false);
    }

    public CsvSource {
        if (columns instanceof CsvColumns.Named && !dialect.header()) {
            throw PetrichorException.invalid(
                    "{path} has no header: name columns by position", "path", path);
        }
    }

    /** These columns by their names; without a header the first columns, in order. */
    public static CsvSource of(String path, Dialect dialect, Field... fields) {
        return dialect.header()
                ? new CsvSource(path, dialect, new CsvColumns.Named(List.of(fields)), false)
                : inOrder(path, dialect, fields);
    }

    /** The first columns, in order, regardless of a header. */
    public static CsvSource inOrder(String path, Dialect dialect, Field... fields) {
        return byPosition(
                path,
                dialect,
                IntStream.range(0, fields.length)
                        .mapToObj(i -> new CsvColumn(i, fields[i]))
                        .toList());
    }

    /** The columns at these positions, in ascending order, regardless of a header. */
    public static CsvSource byPosition(String path, Dialect dialect, List<CsvColumn> columns) {
        return new CsvSource(path, dialect, new CsvColumns.Positioned(columns), false);
    }

    /** Reads each file as one split: for texts that look like separated text themselves. */
    public CsvSource asWholeFiles() {
        return new CsvSource(path, dialect, columns, true);
    }

    /**
     * @param indexes columns in this file, in the order of the fields
     * @param skipsBlank whether an empty line is not a record
     * @param width number of columns in the header, which no line may exceed; 0 without that limit
     */
    record Part(FileSplit file, List<Integer> indexes, boolean skipsBlank, int width)
            implements Split {
        Part {
            indexes = List.copyOf(indexes);
        }

        @Override
        public long bytes() {
            return file.bytes();
        }

        @Override
        public String toString() {
            return file.toString();
        }
    }

    @Override
    public String name() {
        return path;
    }

    @Override
    public RecordType type() {
        return RecordType.of(columns.fields());
    }

    @Override
    public SourceEstimate estimate() {
        return Sample.estimate(this, path, this::part);
    }

    @Override
    public long inputBytes() {
        return Sample.bytes(path);
    }

    @Override
    public List<Split> splits(int wanted) throws IOException {
        List<FileSplit> files = FileSplit.files(path);
        List<Split> splits = new ArrayList<>();
        for (FileSplit file : files) {
            if (file.size() > 0) {
                Part whole = part(file);
                int share = unsplit ? 1 : share(file, files, wanted);
                for (FileSplit part : FileSplit.cut(List.of(file), share, 1)) {
                    splits.add(new Part(part, whole.indexes(), whole.skipsBlank(), whole.width()));
                }
            }
        }
        return splits;
    }

    /** Number of splits of this file. */
    private static int share(FileSplit file, List<FileSplit> files, int wanted) {
        long total = files.stream().mapToLong(FileSplit::size).sum();
        return (int) Math.max(1, Math.ceil((double) wanted * file.size() / total));
    }

    /** Finds the columns of the file. */
    private Part part(FileSplit file) throws IOException {
        return switch (columns) {
            case CsvColumns.Named(var fields) -> {
                var header = CsvHeader.of(file, dialect);
                int width = header.names().size();
                yield new Part(file, header.indexes(fields), width > 1, width);
            }
            case CsvColumns.Positioned(var positioned) ->
                    new Part(
                            file,
                            positioned.stream().map(CsvColumn::index).toList(),
                            positioned.getLast().index() > 0,
                            0);
        };
    }

    @Override
    public SplitReader open(Split split) throws IOException {
        Part part = (Part) split;
        return new CsvReader(part.file(), dialect, new CsvLine(this, part));
    }
}
