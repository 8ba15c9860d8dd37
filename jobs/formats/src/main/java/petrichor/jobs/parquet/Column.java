package petrichor.jobs.parquet;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.RecordBuilder;

/**
 * A column that is read into a field.
 *
 * @param value copies a non-null value into the record
 */
record Column(ColumnDescriptor descriptor, Value value) {
    /** The narrowest type first; bytes that are annotated as text become texts. */
    private static final List<FieldType> NATURAL =
            List.of(
                    FieldType.BOOLEAN,
                    FieldType.INT32,
                    FieldType.INT64,
                    FieldType.FLOAT64,
                    FieldType.BYTES,
                    FieldType.TEXT);

    @FunctionalInterface
    interface Value {
        void put(ColumnReader from, RecordBuilder to, int field);
    }

    /** The column with a field's name; refuses an incompatible type. */
    static Column of(Path file, MessageType schema, Field field) {
        if (!schema.containsField(field.name())) {
            throw PetrichorException.invalid(
                    "{file} has no column \"{field}\"; its columns are {columns}",
                    "file",
                    file,
                    "field",
                    field.name(),
                    "columns",
                    schema.getFields().stream()
                            .map(Type::getName)
                            .collect(Collectors.joining(", ")));
        }
        var type = schema.getType(field.name());
        var value = isFlat(type) ? value(type.asPrimitiveType(), field.type()) : null;
        if (value == null) {
            throw PetrichorException.invalid(
                    "column {type} of {file} does not fit into a field of {field}",
                    "type",
                    type,
                    "file",
                    file,
                    "field",
                    field);
        }
        return new Column(schema.getColumnDescription(new String[] {field.name()}), value);
    }

    /** The narrowest field type for all values of a column. */
    static FieldType natural(Type type) {
        if (isDate(type)) {
            return FieldType.TEXT;
        }
        return NATURAL.stream()
                .filter(each -> isFlat(type) && value(type.asPrimitiveType(), each) != null)
                .findFirst()
                .orElseThrow(
                        () ->
                                PetrichorException.invalid(
                                        "column {type} has an unsupported type: name the columns to"
                                                + " read",
                                        "type",
                                        type));
    }

    private static boolean isFlat(Type type) {
        return type.isPrimitive() && type.getRepetition() != Type.Repetition.REPEATED;
    }

    private static boolean isDate(Type type) {
        return type.getLogicalTypeAnnotation() instanceof DateLogicalTypeAnnotation;
    }

    /** Moves to the next value. */
    void next(ColumnReader from, RecordBuilder to, int field) {
        if (from.getCurrentDefinitionLevel() == descriptor.getMaxDefinitionLevel()) {
            value.put(from, to, field);
        }
        from.consume();
    }

    private static @Nullable Value value(PrimitiveType type, FieldType field) {
        return switch (type.getLogicalTypeAnnotation()) {
            case DecimalLogicalTypeAnnotation decimal ->
                    field == FieldType.FLOAT64 ? decimal(type, decimal.getScale()) : null;
            case DateLogicalTypeAnnotation _ -> date(field);
            case TimestampLogicalTypeAnnotation time ->
                    field == FieldType.INT64 ? timestamp(time.getUnit()) : null;
            case IntLogicalTypeAnnotation number when !number.isSigned() -> unsigned(type, field);
            case LogicalTypeAnnotation.StringLogicalTypeAnnotation _,
                    LogicalTypeAnnotation.EnumLogicalTypeAnnotation _,
                    LogicalTypeAnnotation.JsonLogicalTypeAnnotation _ ->
                    field == FieldType.TEXT ? Column::bytes : null;
            case IntLogicalTypeAnnotation _ -> plain(type, field);
            case null -> plain(type, field);
            case LogicalTypeAnnotation _ -> null;
        };
    }

    private static @Nullable Value plain(PrimitiveType type, FieldType field) {
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN ->
                    field == FieldType.BOOLEAN
                            ? (from, to, at) -> to.bool(at, from.getBoolean())
                            : null;
            case INT32 ->
                    switch (field) {
                        case INT32 -> (from, to, at) -> to.int32(at, from.getInteger());
                        case INT64 -> (from, to, at) -> to.int64(at, from.getInteger());
                        case FLOAT64 -> (from, to, at) -> to.float64(at, from.getInteger());
                        case BOOLEAN, TEXT, BYTES -> null;
                    };
            case INT64 ->
                    field == FieldType.INT64
                            ? (from, to, at) -> to.int64(at, from.getLong())
                            : null;
            case FLOAT ->
                    field == FieldType.FLOAT64
                            ? (from, to, at) -> to.float64(at, from.getFloat())
                            : null;
            case DOUBLE ->
                    field == FieldType.FLOAT64
                            ? (from, to, at) -> to.float64(at, from.getDouble())
                            : null;
            // Unannotated bytes may be text: old writers did not annotate it.
            case BINARY -> field.isVariable() ? Column::bytes : null;
            case FIXED_LEN_BYTE_ARRAY -> field == FieldType.BYTES ? Column::bytes : null;
            case INT96 -> null;
        };
    }

    private static void bytes(ColumnReader from, RecordBuilder to, int at) {
        byte[] bytes = from.getBinary().getBytesUnsafe();
        to.bytes(at, bytes, 0, bytes.length);
    }

    private static @Nullable Value unsigned(PrimitiveType type, FieldType field) {
        if (field != FieldType.INT64) {
            return null;
        }
        return type.getPrimitiveTypeName() == PrimitiveTypeName.INT32
                ? (from, to, at) -> to.int64(at, Integer.toUnsignedLong(from.getInteger()))
                : (from, to, at) -> {
                    long number = from.getLong();
                    if (number < 0) {
                        throw PetrichorException.invalid(
                                "{value} does not fit into an INT64",
                                "value",
                                Long.toUnsignedString(number));
                    }
                    to.int64(at, number);
                };
    }

    private static @Nullable Value date(FieldType field) {
        return switch (field) {
            case INT32 -> (from, to, at) -> to.int32(at, from.getInteger());
            case TEXT ->
                    (from, to, at) ->
                            to.text(at, LocalDate.ofEpochDay(from.getInteger()).toString());
            case BOOLEAN, INT64, FLOAT64, BYTES -> null;
        };
    }

    private static Value timestamp(LogicalTypeAnnotation.TimeUnit unit) {
        return switch (unit) {
            case MILLIS ->
                    (from, to, at) -> to.int64(at, Math.multiplyExact(from.getLong(), 1_000L));
            case MICROS -> (from, to, at) -> to.int64(at, from.getLong());
            case NANOS -> (from, to, at) -> to.int64(at, Math.floorDiv(from.getLong(), 1_000L));
        };
    }

    private static @Nullable Value decimal(PrimitiveType type, int scale) {
        double unit = Math.pow(10, scale);
        return switch (type.getPrimitiveTypeName()) {
            case INT32 -> (from, to, at) -> to.float64(at, from.getInteger() / unit);
            case INT64 -> (from, to, at) -> to.float64(at, from.getLong() / unit);
            case BINARY, FIXED_LEN_BYTE_ARRAY ->
                    (from, to, at) -> to.float64(at, decimal(from.getBinary(), scale));
            case BOOLEAN, FLOAT, DOUBLE, INT96 -> null;
        };
    }

    private static double decimal(Binary digits, int scale) {
        return new BigDecimal(new BigInteger(digits.getBytes()), scale).doubleValue();
    }
}
