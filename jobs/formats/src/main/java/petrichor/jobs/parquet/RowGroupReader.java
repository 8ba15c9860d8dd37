package petrichor.jobs.parquet;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import petrichor.jobs.jobgraph.Source.SplitReader;
import petrichor.jobs.records.Out;

/** Reads one row group, a value of each column at a time. Belongs to one thread. */
final class RowGroupReader implements SplitReader {
    private static final int RECORDS_PER_READ = 4_096;

    private final ParquetFileReader file;
    private final Column[] columns;
    private final ColumnReader[] readers;
    private final long rows;
    private long row;

    RowGroupReader(ParquetSource source, ParquetSource.RowGroup group) throws IOException {
        var path = Path.of(group.file());
        this.file = ParquetFiles.open(path);
        try {
            var schema = file.getFileMetaData().getSchema();
            this.columns = source.columns(path, schema);
            file.setRequestedSchema(Arrays.stream(columns).map(Column::descriptor).toList());
            var pages = file.readRowGroup(group.number());
            var writer = file.getFileMetaData().getCreatedBy();
            var store = new ColumnReadStoreImpl(pages, new NoConverter(), schema, writer);
            this.readers =
                    Arrays.stream(columns)
                            .map(column -> store.getColumnReader(column.descriptor()))
                            .toArray(ColumnReader[]::new);
            this.rows = pages.getRowCount();
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    @Override
    public boolean read(Out out) {
        long to = Math.min(rows, row + RECORDS_PER_READ);
        for (; row < to; row++) {
            var record = out.record();
            for (int field = 0; field < columns.length; field++) {
                columns[field].next(readers[field], record, field);
            }
            record.emit();
        }
        return row < rows;
    }

    @Override
    public String position() {
        return "row " + row;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** Values are read one by one, without conversion. */
    private static final class NoConverter extends GroupConverter {
        @Override
        public Converter getConverter(int field) {
            return new PrimitiveConverter() {};
        }

        @Override
        public void start() {}

        @Override
        public void end() {}
    }
}
