package petrichor.tables;

/**
 * Receives the values of a row, one call per column in any order, without an object for values that
 * are frequent. Columns are positions in the table.
 */
public interface RowSink {
    void nullValue(int column);

    void integer(int column, long value);

    void real(int column, double value);

    void decimal(int column, long unscaled, int scale);

    /**
     * @param utf8 valid during the call only
     */
    void text(int column, byte[] utf8, int from, int length);

    /** A value of another type; see {@link DataType} for its class. */
    void value(int column, Object value);
}
