package petrichor.jobs.parquet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.schema.MessageType;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.formats.InputFiles;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;

/**
 * The columns of Parquet files: one, all of a folder, or all that match a pattern. Only named
 * columns are read. A split is a row group; its columns are in memory while it is read.
 *
 * <p>Integers, floating-point numbers, texts, bytes and booleans map to fields of the same types. A
 * decimal is a FLOAT64, a date a TEXT like 1995-03-15 or an INT32 (days since 1970), a timestamp an
 * INT64 of microseconds. Nested columns and lists are refused.
 */
public record ParquetSource(String path, RecordType type) implements Source {
    record RowGroup(String file, int number) implements Split {
        @Override
        public String toString() {
            return file + " row group " + number;
        }
    }

    /** These columns, by name. */
    public static ParquetSource of(String path, Field... fields) {
        return new ParquetSource(path, RecordType.of(fields));
    }

    /** All columns of the first file. Reads its footer. */
    public static ParquetSource allColumns(String path) {
        try {
            var files = InputFiles.of(path);
            if (files.isEmpty()) {
                return of(path);
            }
            try (var reader = ParquetFiles.open(files.getFirst())) {
                var schema = reader.getFileMetaData().getSchema();
                var fields =
                        schema.getFields().stream()
                                .map(column -> new Field(column.getName(), Column.natural(column)))
                                .toList();
                return new ParquetSource(path, RecordType.of(fields));
            }
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read " + path, unreadable);
        }
    }

    @Override
    public String name() {
        return path;
    }

    @Override
    public SourceEstimate estimate() {
        try {
            long bytes = 0;
            long records = 0;
            var columns = type.fields().stream().map(Field::name).toList();
            for (var file : InputFiles.of(path)) {
                try (var reader = ParquetFiles.open(file)) {
                    records += reader.getRecordCount();
                    for (var group : reader.getRowGroups()) {
                        bytes += bytes(group, columns);
                    }
                }
            }
            return new SourceEstimate(bytes, records);
        } catch (IOException | PetrichorException e) {
            // Opening it will report why it cannot be read.
            return SourceEstimate.UNKNOWN;
        }
    }

    private static long bytes(BlockMetaData group, List<String> columns) {
        return group.getColumns().stream()
                .filter(column -> columns.contains(column.getPath().toDotString()))
                .mapToLong(column -> column.getTotalUncompressedSize())
                .sum();
    }

    @Override
    public List<Split> splits(int wanted) throws IOException {
        var splits = new ArrayList<Split>();
        for (var file : InputFiles.of(path)) {
            try (var reader = ParquetFiles.open(file)) {
                columns(file, reader.getFileMetaData().getSchema());
                for (int group = 0; group < reader.getRowGroups().size(); group++) {
                    splits.add(new RowGroup(file.toString(), group));
                }
            }
        }
        return splits;
    }

    /** The columns of a file that are read; refuses unsupported ones. */
    Column[] columns(Path file, MessageType schema) {
        return type.fields().stream()
                .map(field -> Column.of(file, schema, field))
                .toArray(Column[]::new);
    }

    @Override
    public SplitReader open(Split split) throws IOException {
        return new RowGroupReader(this, (RowGroup) split);
    }
}
