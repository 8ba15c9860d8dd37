package petrichor.jobs.python;

import java.util.Arrays;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Slice;
import petrichor.jobs.records.Words;

/**
 * Builds one column of a batch, in Arrow's layout: a validity bitmap, then the values; for texts
 * and bytes the offsets, then the bytes. Belongs to one thread.
 */
final class ColumnBytes {
    private static final int OFFSET_BYTES = 4;

    private final FieldType type;
    private final Slice slice = new Slice();
    private byte[] present = new byte[128];
    private byte[] values = new byte[1024];
    private byte[] data;
    private int dataBytes;
    private int rows;
    private int nulls;

    ColumnBytes(FieldType type) {
        this.type = type;
        this.data = new byte[type.isVariable() ? 1024 : 0];
    }

    void clear() {
        Arrays.fill(present, 0, Math.min(present.length, (rows >> 3) + 1), (byte) 0);
        if (type == FieldType.BOOLEAN) {
            Arrays.fill(values, 0, Math.min(values.length, (rows >> 3) + 1), (byte) 0);
        }
        rows = 0;
        nulls = 0;
        dataBytes = 0;
    }

    void add(RecordView record, int field) {
        int row = rows++;
        present = grown(present, (row >> 3) + 1);
        if (record.isNull(field)) {
            nulls++;
        } else {
            present[row >> 3] |= (byte) (1 << (row & 7));
        }
        switch (type) {
            case BOOLEAN -> {
                values = grown(values, (row >> 3) + 1);
                if (record.bool(field)) {
                    values[row >> 3] |= (byte) (1 << (row & 7));
                }
            }
            case INT32 -> {
                values = grown(values, (row + 1) * Integer.BYTES);
                Words.int32(values, row * Integer.BYTES, record.int32(field));
            }
            case INT64 -> {
                values = grown(values, (row + 1) * Long.BYTES);
                Words.int64(values, row * Long.BYTES, record.int64(field));
            }
            case FLOAT64 -> {
                values = grown(values, (row + 1) * Long.BYTES);
                Words.int64(
                        values,
                        row * Long.BYTES,
                        Double.doubleToRawLongBits(record.float64(field)));
            }
            case TEXT, BYTES -> variable(row, record.slice(field, slice));
        }
    }

    private void variable(int row, Slice value) {
        data = grown(data, dataBytes + value.length());
        System.arraycopy(value.base(), value.at(), data, dataBytes, value.length());
        dataBytes += value.length();
        values = grown(values, (row + 2) * OFFSET_BYTES);
        Words.int32(values, 0, 0);
        Words.int32(values, (row + 1) * OFFSET_BYTES, dataBytes);
    }

    private static byte[] grown(byte[] bytes, int wanted) {
        return wanted <= bytes.length
                ? bytes
                : Arrays.copyOf(bytes, Math.max(wanted, bytes.length * 2));
    }

    int nulls() {
        return nulls;
    }

    /** Number of Arrow buffers of the column. */
    int buffers() {
        return type.isVariable() ? 3 : 2;
    }

    /** Length of a buffer. */
    int bytes(int buffer) {
        return switch (buffer) {
            case 0 -> nulls == 0 ? 0 : (rows + 7) / 8;
            case 1 ->
                    switch (type) {
                        case BOOLEAN -> (rows + 7) / 8;
                        case INT32 -> rows * Integer.BYTES;
                        case INT64, FLOAT64 -> rows * Long.BYTES;
                        case TEXT, BYTES -> rows == 0 ? 0 : (rows + 1) * OFFSET_BYTES;
                    };
            case 2 -> dataBytes;
            default -> throw new IllegalArgumentException("a column has no buffer " + buffer);
        };
    }

    void copyTo(byte[] target, int at, int buffer) {
        byte[] from =
                switch (buffer) {
                    case 0 -> present;
                    case 1 -> values;
                    case 2 -> data;
                    default ->
                            throw new IllegalArgumentException("a column has no buffer " + buffer);
                };
        System.arraycopy(from, 0, target, at, bytes(buffer));
    }
}
