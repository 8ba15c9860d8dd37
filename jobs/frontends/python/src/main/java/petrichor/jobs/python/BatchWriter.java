package petrichor.jobs.python;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Words;

/**
 * Collects records and writes them as one record batch: an encapsulated message of Arrow's IPC
 * format (columnar format 1.5, metadata version 5), without compression. The schema is not sent:
 * both ends know the type. Belongs to one thread.
 */
final class BatchWriter {
    static final int BATCH_ROWS_MAX = 8192;
    static final int BATCH_BYTES_MAX = 1 << 20;

    private static final int ALIGNMENT = 8;
    private static final int CONTINUATION = -1;

    /** The continuation marker and the length of the metadata. */
    private static final int PREFIX_BYTES = 8;

    private final List<ColumnBytes> columns;
    private int rows;
    private long recordBytes;

    BatchWriter(RecordType type) {
        this.columns = type.fields().stream().map(Field::type).map(ColumnBytes::new).toList();
    }

    void add(RecordView record) {
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).add(record, i);
        }
        rows++;
        recordBytes += record.bytes();
    }

    int rows() {
        return rows;
    }

    boolean isFull() {
        return rows >= BATCH_ROWS_MAX || recordBytes >= BATCH_BYTES_MAX;
    }

    /** Returns all rows since the last call as a message, whose length is a multiple of eight. */
    byte[] take() {
        int body = 0;
        for (var column : columns) {
            for (int buffer = 0; buffer < column.buffers(); buffer++) {
                body += aligned(column.bytes(buffer));
            }
        }
        ByteBuffer metadata = metadata(body);
        int metadataBytes = aligned(metadata.remaining());
        byte[] message = new byte[PREFIX_BYTES + metadataBytes + body];
        Words.int32(message, 0, CONTINUATION);
        Words.int32(message, 4, metadataBytes);
        metadata.get(message, PREFIX_BYTES, metadata.remaining());
        int at = PREFIX_BYTES + metadataBytes;
        for (var column : columns) {
            for (int buffer = 0; buffer < column.buffers(); buffer++) {
                column.copyTo(message, at, buffer);
                at += aligned(column.bytes(buffer));
            }
            column.clear();
        }
        rows = 0;
        recordBytes = 0;
        return message;
    }

    /** The offsets of all buffers in the body. FlatBuffers vectors are written back to front. */
    private ByteBuffer metadata(int bodyBytes) {
        var builder = new FlatBufferBuilder(256 + 64 * columns.size());
        RecordBatch.startNodesVector(builder, columns.size());
        for (var column : columns.reversed()) {
            FieldNode.createFieldNode(builder, rows, column.nulls());
        }
        int nodes = builder.endVector();
        int count = columns.stream().mapToInt(ColumnBytes::buffers).sum();
        RecordBatch.startBuffersVector(builder, count);
        long end = bodyBytes;
        for (var column : columns.reversed()) {
            for (int buffer = column.buffers() - 1; buffer >= 0; buffer--) {
                int bytes = column.bytes(buffer);
                end -= aligned(bytes);
                Buffer.createBuffer(builder, end, bytes);
            }
        }
        int buffers = builder.endVector();
        RecordBatch.startRecordBatch(builder);
        RecordBatch.addLength(builder, rows);
        RecordBatch.addNodes(builder, nodes);
        RecordBatch.addBuffers(builder, buffers);
        int batch = RecordBatch.endRecordBatch(builder);
        Message.startMessage(builder);
        Message.addVersion(builder, MetadataVersion.V5);
        Message.addHeaderType(builder, MessageHeader.RecordBatch);
        Message.addHeader(builder, batch);
        Message.addBodyLength(builder, bodyBytes);
        Message.finishMessageBuffer(builder, Message.endMessage(builder));
        return builder.dataBuffer();
    }

    static int aligned(int bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
