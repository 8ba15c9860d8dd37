package petrichor.tables;

import org.jspecify.annotations.Nullable;

/**
 * The type of a column, result column or parameter.
 *
 * @param length characters or bytes of CHAR, VARCHAR and BYTEA, precision of NUMERIC, fractional
 *     digits of times; {@link #UNLIMITED} if not restricted
 * @param scale of NUMERIC; otherwise 0
 * @param element of ARRAY; otherwise null
 */
public record ColumnType(DataType type, int length, int scale, @Nullable ColumnType element) {
    public static final int UNLIMITED = -1;

    public static final ColumnType UNKNOWN = of(DataType.UNKNOWN);

    public ColumnType {
        if ((type == DataType.ARRAY) != (element != null)) {
            throw new IllegalArgumentException("arrays have an element type, others have none");
        }
        if (length < UNLIMITED) {
            throw new IllegalArgumentException("length must not be negative");
        }
    }

    public static ColumnType of(DataType type) {
        return new ColumnType(type, UNLIMITED, 0, null);
    }

    public static ColumnType arrayOf(ColumnType element) {
        return new ColumnType(DataType.ARRAY, UNLIMITED, 0, element);
    }
}
