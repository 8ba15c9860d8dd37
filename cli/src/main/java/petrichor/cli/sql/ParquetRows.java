package petrichor.cli.sql;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.parquet.ParquetTexts;

/** Rows of a Parquet file. */
final class ParquetRows implements ImportedRows {
    private final ParquetTexts file;
    private long row;

    /**
     * @param file closed with this object
     */
    ParquetRows(ParquetTexts file) {
        this.file = file;
    }

    @Override
    public List<String> columns() {
        return file.columns();
    }

    @Override
    public @Nullable Row next() throws IOException {
        List<@Nullable String> cells = file.next();
        row++;
        return cells == null
                ? null
                : new Values(
                        row, cells, String.join(",", cells.stream().map(String::valueOf).toList()));
    }

    @Override
    public void close() {
        file.close();
    }
}
