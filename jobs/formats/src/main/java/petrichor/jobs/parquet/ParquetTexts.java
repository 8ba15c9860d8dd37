package petrichor.jobs.parquet;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Reads the rows of a Parquet file without nested columns as texts: dates and times in ISO 8601,
 * bytes as {@code \x} and hexadecimal digits. One row group is in memory at a time. Confined to one
 * thread.
 */
public final class ParquetTexts implements AutoCloseable {
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long NANOS_PER_MICRO = 1_000;

    private final ParquetFileReader reader;
    private final MessageType schema;
    private final List<String> columns;
    private @Nullable RecordReader<Group> group;
    private long left;

    private ParquetTexts(ParquetFileReader reader, MessageType schema) {
        this.reader = reader;
        this.schema = schema;
        this.columns = schema.getFields().stream().map(Type::getName).toList();
    }

    /**
     * Opens a file.
     *
     * @param names of the columns to read; empty for all
     * @throws PetrichorException INVALID_ARGUMENT for an unknown or nested column
     */
    public static ParquetTexts open(Path file, List<String> names) {
        try {
            ParquetFileReader reader = ParquetFiles.open(file);
            MessageType all = reader.getFileMetaData().getSchema();
            List<Type> wanted = new ArrayList<>();
            for (String name : names.isEmpty() ? names(all) : names) {
                wanted.add(column(file, all, name));
            }
            MessageType schema = new MessageType(all.getName(), wanted);
            reader.setRequestedSchema(schema);
            return new ParquetTexts(reader, schema);
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read " + file, unreadable);
        }
    }

    private static List<String> names(MessageType schema) {
        return schema.getFields().stream().map(Type::getName).toList();
    }

    private static Type column(Path file, MessageType all, String name) {
        if (!all.containsField(name)) {
            throw PetrichorException.invalid(
                    "{file} has no column {column}; it has {columns}",
                    "file",
                    file,
                    "column",
                    name,
                    "columns",
                    String.join(", ", names(all)));
        }
        Type type = all.getType(name);
        if (!type.isPrimitive() || type.isRepetition(Type.Repetition.REPEATED)) {
            throw PetrichorException.invalid(
                    "{file}: the column {column} is nested, which an import cannot store; leave it"
                            + " out with --columns",
                    "file",
                    file,
                    "column",
                    name);
        }
        return type;
    }

    /** The names of the columns. */
    public List<String> columns() {
        return columns;
    }

    /** The next row, with null for missing values; null at the end. */
    public @Nullable List<@Nullable String> next() throws IOException {
        while (left == 0) {
            PageReadStore pages = reader.readNextRowGroup();
            if (pages == null) {
                return null;
            }
            left = pages.getRowCount();
            group =
                    new ColumnIOFactory()
                            .getColumnIO(schema)
                            .getRecordReader(pages, new GroupRecordConverter(schema));
        }
        left--;
        Group values = group == null ? null : group.read();
        if (values == null) {
            return null;
        }
        List<@Nullable String> cells = new ArrayList<>(columns.size());
        for (int i = 0; i < columns.size(); i++) {
            cells.add(values.getFieldRepetitionCount(i) == 0 ? null : text(values, i));
        }
        return cells;
    }

    private String text(Group values, int column) {
        PrimitiveType type = schema.getType(column).asPrimitiveType();
        LogicalTypeAnnotation meaning = type.getLogicalTypeAnnotation();
        return switch (type.getPrimitiveTypeName()) {
            case INT32 -> whole(values.getInteger(column, 0), meaning);
            case INT64 -> whole(values.getLong(column, 0), meaning);
            case BINARY, FIXED_LEN_BYTE_ARRAY ->
                    bytes(values.getBinary(column, 0).getBytes(), meaning);
            case BOOLEAN, FLOAT, DOUBLE, INT96 -> values.getValueToString(column, 0);
        };
    }

    private static String whole(long value, @Nullable LogicalTypeAnnotation meaning) {
        return switch (meaning) {
            case DateLogicalTypeAnnotation _ -> LocalDate.ofEpochDay(value).toString();
            case DecimalLogicalTypeAnnotation decimal ->
                    BigDecimal.valueOf(value, decimal.getScale()).toPlainString();
            case TimestampLogicalTypeAnnotation time -> {
                long nanos = nanos(time.getUnit());
                long perSecond = 1_000_000_000 / nanos;
                Instant at =
                        Instant.ofEpochSecond(
                                Math.floorDiv(value, perSecond),
                                Math.floorMod(value, perSecond) * nanos);
                yield at.toString();
            }
            case TimeLogicalTypeAnnotation time ->
                    LocalTime.ofNanoOfDay(value * nanos(time.getUnit())).toString();
            case null, default -> Long.toString(value);
        };
    }

    private static long nanos(TimeUnit unit) {
        return switch (unit) {
            case MILLIS -> NANOS_PER_MILLI;
            case MICROS -> NANOS_PER_MICRO;
            case NANOS -> 1;
        };
    }

    private static String bytes(byte[] value, @Nullable LogicalTypeAnnotation meaning) {
        return switch (meaning) {
            case DecimalLogicalTypeAnnotation decimal ->
                    new BigDecimal(new BigInteger(value), decimal.getScale()).toPlainString();
            case null -> "\\x" + HexFormat.of().formatHex(value);
            default -> new String(value, StandardCharsets.UTF_8);
        };
    }

    @Override
    public void close() {
        try {
            reader.close();
        } catch (IOException alreadyRead) {
            return;
        }
    }
}
