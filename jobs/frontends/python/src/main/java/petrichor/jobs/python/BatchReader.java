package petrichor.jobs.python;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.Words;

/**
 * Emits the rows of a record batch received from a worker: an encapsulated message, in the format
 * of {@link BatchWriter}. Refuses data that does not match the type, which a Petrichor worker never
 * sends. Belongs to one thread.
 */
final class BatchReader {
    private static final int PREFIX_BYTES = 8;

    private final RecordType type;
    private final Column[] columns;

    /** The buffers of one column of the current batch. */
    private static final class Column {
        private final FieldType type;
        private int presentAt;
        private int valuesAt;
        private int dataAt;
        private boolean hasNulls;

        Column(FieldType type) {
            this.type = type;
        }
    }

    BatchReader(RecordType type) {
        this.type = type;
        this.columns =
                type.fields().stream()
                        .map(field -> new Column(field.type()))
                        .toArray(Column[]::new);
    }

    RecordType type() {
        return type;
    }

    /** Emits every row, in order. */
    void read(byte[] message, Out out) {
        int rows = open(message);
        for (int row = 0; row < rows; row++) {
            var record = out.record();
            for (int field = 0; field < columns.length; field++) {
                set(record, field, row, message);
            }
            record.emit();
        }
    }

    /** Locates the columns; returns the number of rows. */
    int open(byte[] message) {
        var bytes = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN);
        int body = PREFIX_BYTES + bytes.getInt(4);
        bytes.position(PREFIX_BYTES);
        var header = Message.getRootAsMessage(bytes);
        if (bytes.getInt(0) != -1 || header.headerType() != MessageHeader.RecordBatch) {
            throw nonsense("no record batch");
        }
        var batch = (RecordBatch) header.header(new RecordBatch());
        if (batch == null || batch.nodesLength() != columns.length || batch.compression() != null) {
            throw nonsense("a batch that is not of " + type);
        }
        int buffer = 0;
        for (int i = 0; i < columns.length; i++) {
            var column = columns[i];
            var present = batch.buffers(buffer++);
            column.hasNulls = batch.nodes(i).nullCount() > 0 && present.length() > 0;
            column.presentAt = body + Math.toIntExact(present.offset());
            column.valuesAt = body + Math.toIntExact(batch.buffers(buffer++).offset());
            if (column.type.isVariable()) {
                column.dataAt = body + Math.toIntExact(batch.buffers(buffer++).offset());
            }
        }
        return Math.toIntExact(batch.length());
    }

    private void set(RecordBuilder record, int field, int row, byte[] bytes) {
        var column = columns[field];
        if (column.hasNulls && !bit(bytes, column.presentAt, row)) {
            return;
        }
        switch (column.type) {
            case BOOLEAN -> record.bool(field, bit(bytes, column.valuesAt, row));
            case INT32 ->
                    record.int32(field, Words.int32(bytes, column.valuesAt + row * Integer.BYTES));
            case INT64 ->
                    record.int64(field, Words.int64(bytes, column.valuesAt + row * Long.BYTES));
            case FLOAT64 ->
                    record.float64(
                            field,
                            Double.longBitsToDouble(
                                    Words.int64(bytes, column.valuesAt + row * Long.BYTES)));
            case TEXT, BYTES -> {
                int offset = column.valuesAt + row * Integer.BYTES;
                int from = Words.int32(bytes, offset);
                int to = Words.int32(bytes, offset + Integer.BYTES);
                record.bytes(field, bytes, column.dataAt + from, to - from);
            }
        }
    }

    /** Whether a field of a row of the current batch is present and true. */
    boolean isTrue(byte[] message, int row) {
        var column = columns[0];
        return (!column.hasNulls || bit(message, column.presentAt, row))
                && bit(message, column.valuesAt, row);
    }

    private static boolean bit(byte[] bytes, int at, int row) {
        return (bytes[at + (row >> 3)] >> (row & 7) & 1) != 0;
    }

    private static PetrichorException nonsense(String what) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "a Python worker has sent {content}; is it another version?",
                "content",
                what);
    }
}
