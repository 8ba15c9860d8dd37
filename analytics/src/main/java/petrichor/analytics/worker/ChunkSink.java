package petrichor.analytics.worker;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;
import petrichor.tables.RowSink;
import petrichor.tables.StoredColumn;

/**
 * Writes values into the vectors of one chunk of DuckDB. Text is collected and passed on once per
 * chunk: each call for a single one crosses into native code. Confined to one thread.
 */
final class ChunkSink implements RowSink {
    private final ColumnTransfer[] columns;
    private final DuckDBWritableVector[] vectors;

    /** By column and row; null for columns that are not text. */
    private final byte[] @Nullable [] @Nullable [] texts;

    private int row;

    /**
     * @param columns those of the table
     */
    ChunkSink(List<StoredColumn> columns) {
        this.columns =
                columns.stream()
                        .map(column -> ColumnTransfer.of(column.type()))
                        .toArray(ColumnTransfer[]::new);
        this.vectors = new DuckDBWritableVector[this.columns.length];
        this.texts = new byte[this.columns.length][][];
    }

    /** Begins a chunk. */
    void begin(DuckDBDataChunkWriter out, int firstColumn) {
        int capacity = (int) out.capacity();
        for (int i = 0; i < columns.length; i++) {
            vectors[i] = out.vector(firstColumn + i);
            if (columns[i].text() && texts[i] == null) {
                texts[i] = new byte[capacity][];
            }
        }
    }

    /** Begins a row, whose values are NULL unless they are passed on. */
    void row(int next) {
        row = next;
    }

    /** Passes the text of the chunk on. */
    @SuppressWarnings("NullAway") // an element is null for NULL
    void end(int rows) throws SQLException {
        for (int i = 0; i < columns.length; i++) {
            byte @Nullable [] @Nullable [] values = texts[i];
            if (values != null && rows > 0) {
                vectors[i].setStringUtf8Batch(
                        0, rows == values.length ? values : Arrays.copyOf(values, rows));
            }
        }
    }

    private byte[] @Nullable [] texts(int column) {
        byte @Nullable [] @Nullable [] values = texts[column];
        if (values == null) {
            throw new IllegalStateException("column " + column + " is not text");
        }
        return values;
    }

    @Override
    public void nullValue(int column) {
        if (columns[column].text()) {
            texts(column)[row] = null;
        } else {
            vectors[column].setNull(row);
        }
    }

    @Override
    public void integer(int column, long value) {
        switch (columns[column].type()) {
            case BIGINT -> vectors[column].setLong(row, value);
            case INTEGER -> vectors[column].setInt(row, (int) value);
            case SMALLINT -> vectors[column].setShort(row, (short) value);
            default -> value(column, value);
        }
    }

    @Override
    public void real(int column, double value) {
        value(column, value);
    }

    @Override
    public void decimal(int column, long unscaled, int scale) {
        value(column, BigDecimal.valueOf(unscaled, scale));
    }

    @Override
    public void text(int column, byte[] utf8, int from, int length) {
        if (columns[column].utf8()) {
            texts(column)[row] = Arrays.copyOfRange(utf8, from, from + length);
        } else {
            value(column, new String(utf8, from, length, StandardCharsets.UTF_8));
        }
    }

    @Override
    public void value(int column, Object value) {
        ColumnTransfer transfer = columns[column];
        if (transfer.text()) {
            texts(column)[row] = transfer.text(value).getBytes(StandardCharsets.UTF_8);
        } else {
            try {
                transfer.set(vectors[column], row, value);
            } catch (SQLException failed) {
                throw new UnfitValue(failed);
            }
        }
    }

    /** A value that DuckDB's type cannot have; the cause says why. */
    static final class UnfitValue extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final SQLException reason;

        UnfitValue(SQLException reason) {
            super(reason);
            this.reason = reason;
        }

        SQLException reason() {
            return reason;
        }
    }
}
