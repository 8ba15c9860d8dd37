package petrichor.cli.sql;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.parquet.ParquetTexts;

/** Opens files for an import. */
public final class ImportFiles {
    private ImportFiles() {}

    /**
     * The form of a CSV file.
     *
     * @param columns empty for those of the header
     * @param delimiter null for the usual one of the file's name
     */
    public record Dialect(
            List<String> columns, boolean header, @Nullable Character delimiter, String nullText) {}

    /** Rows of separated text; closes the reader. */
    public static ImportedRows csv(BufferedReader reader, Dialect dialect, char usual) {
        try {
            Character chosen = dialect.delimiter();
            return CsvRows.of(
                    reader,
                    dialect.columns(),
                    dialect.header(),
                    chosen == null ? usual : chosen,
                    dialect.nullText());
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read the file", unreadable);
        } catch (IllegalArgumentException delimiter) {
            throw PetrichorException.invalid(
                    "--delimiter {delimiter} cannot separate values",
                    "delimiter",
                    String.valueOf(dialect.delimiter()));
        }
    }

    /** Rows of one JSON object per line; closes the reader. */
    public static ImportedRows jsonLines(BufferedReader reader, List<String> columns) {
        return new JsonRows(reader, columns);
    }

    /**
     * Rows of a Parquet file.
     *
     * @param columns empty for all
     */
    public static ImportedRows parquet(Path file, List<String> columns) {
        return new ParquetRows(ParquetTexts.open(file, columns));
    }
}
