package petrichor.sql.entities;

import com.google.datastore.v1.Value;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;

/**
 * The type of the column of a property.
 *
 * @param array of values of this type, each of which may be null
 */
public record PropertyType(Scalar scalar, boolean array) {
    public static final PropertyType JSON = new PropertyType(Scalar.JSON, false);

    /** Types of values; JSON is that of mixed types, embedded entities and geographical points. */
    public enum Scalar {
        BOOLEAN(DataType.BOOLEAN),
        INTEGER(DataType.BIGINT),
        DOUBLE(DataType.DOUBLE),
        STRING(DataType.TEXT),
        BLOB(DataType.BYTEA),
        TIMESTAMP(DataType.TIMESTAMPTZ),
        KEY(DataType.TEXT),
        JSON(DataType.JSON);

        private final DataType column;

        Scalar(DataType column) {
            this.column = column;
        }
    }

    public PropertyType {
        if (array && scalar == Scalar.JSON) {
            throw new IllegalArgumentException("an array of mixed values is JSON itself");
        }
    }

    public ColumnType column() {
        ColumnType element = ColumnType.of(scalar.column);
        return array ? ColumnType.arrayOf(element) : element;
    }

    /** The narrowest type of this value; null for null and for an empty array, which fit any. */
    static @Nullable PropertyType of(Value value) {
        return switch (value.getValueTypeCase()) {
            case NULL_VALUE, VALUETYPE_NOT_SET -> null;
            case BOOLEAN_VALUE -> new PropertyType(Scalar.BOOLEAN, false);
            case INTEGER_VALUE -> new PropertyType(Scalar.INTEGER, false);
            case DOUBLE_VALUE -> new PropertyType(Scalar.DOUBLE, false);
            case STRING_VALUE -> new PropertyType(Scalar.STRING, false);
            case BLOB_VALUE -> new PropertyType(Scalar.BLOB, false);
            case TIMESTAMP_VALUE -> new PropertyType(Scalar.TIMESTAMP, false);
            case KEY_VALUE -> new PropertyType(Scalar.KEY, false);
            case GEO_POINT_VALUE, ENTITY_VALUE -> JSON;
            case ARRAY_VALUE -> {
                PropertyType elements = null;
                for (Value element : value.getArrayValue().getValuesList()) {
                    PropertyType one = of(element);
                    if (one != null) {
                        elements = elements == null ? one : elements.with(one);
                    }
                }
                yield elements == null || elements.equals(JSON)
                        ? elements
                        : new PropertyType(elements.scalar, true);
            }
        };
    }

    /** A type for the values of both. */
    public PropertyType with(PropertyType other) {
        if (equals(other)) {
            return this;
        }
        boolean numbers =
                array == other.array
                        && (scalar == Scalar.INTEGER || scalar == Scalar.DOUBLE)
                        && (other.scalar == Scalar.INTEGER || other.scalar == Scalar.DOUBLE);
        return numbers ? new PropertyType(Scalar.DOUBLE, array) : JSON;
    }

    /** Whether a column of this type shows the value without loss. */
    boolean fits(Value value) {
        if (equals(JSON)) {
            return true;
        }
        PropertyType own = of(value);
        return own == null ? array || !value.hasArrayValue() : with(own).equals(this);
    }
}
