package petrichor.frontends.datastore;

import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.RunQueryResponse;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Timestamp;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import petrichor.entities.EntityHit;
import petrichor.entities.LookupResult;
import petrichor.entities.QueryResult;

/**
 * Writes responses with entities. Entities are stored in their wire format, so they are copied
 * without parsing; only the surrounding messages are written field by field. Stateless.
 */
final class ResponseEncoder {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private ResponseEncoder() {}

    /** A serialized {@link LookupResponse}. */
    static byte[] encode(LookupResult result) {
        int[] foundBytes = sizes(result.found());
        int[] missingBytes = sizes(result.missing());
        int total =
                fieldSizes(LookupResponse.FOUND_FIELD_NUMBER, foundBytes)
                        + fieldSizes(LookupResponse.MISSING_FIELD_NUMBER, missingBytes);
        for (Key key : result.deferred()) {
            total +=
                    CodedOutputStream.computeMessageSize(LookupResponse.DEFERRED_FIELD_NUMBER, key);
        }
        if (!result.transaction().isEmpty()) {
            total +=
                    CodedOutputStream.computeBytesSize(
                            LookupResponse.TRANSACTION_FIELD_NUMBER, result.transaction());
        }
        Timestamp readTime = timestamp(result.readTime());
        if (result.readTime() != 0) {
            total +=
                    CodedOutputStream.computeMessageSize(
                            LookupResponse.READ_TIME_FIELD_NUMBER, readTime);
        }
        byte[] encoded = new byte[total];
        CodedOutputStream out = CodedOutputStream.newInstance(encoded);
        try {
            write(out, LookupResponse.FOUND_FIELD_NUMBER, result.found(), foundBytes);
            write(out, LookupResponse.MISSING_FIELD_NUMBER, result.missing(), missingBytes);
            for (Key key : result.deferred()) {
                out.writeMessage(LookupResponse.DEFERRED_FIELD_NUMBER, key);
            }
            if (!result.transaction().isEmpty()) {
                out.writeBytes(LookupResponse.TRANSACTION_FIELD_NUMBER, result.transaction());
            }
            if (result.readTime() != 0) {
                out.writeMessage(LookupResponse.READ_TIME_FIELD_NUMBER, readTime);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException("a response exceeds its computed size", impossible);
        }
        out.checkNoSpaceLeft();
        return encoded;
    }

    /**
     * A serialized {@link RunQueryResponse}. The batch's own fields and its entities are fields of
     * the same message, so they can be concatenated.
     */
    static byte[] encode(QueryResult result) {
        int[] hitBytes = sizes(result.hits());
        boolean planOnly = result.explain() != null && !result.explain().hasExecutionStats();
        int frame = result.batch().getSerializedSize();
        int batch = frame + fieldSizes(QueryResultBatch.ENTITY_RESULTS_FIELD_NUMBER, hitBytes);
        int total = planOnly ? 0 : delimitedSize(RunQueryResponse.BATCH_FIELD_NUMBER, batch);
        if (result.query() != null) {
            total +=
                    CodedOutputStream.computeMessageSize(
                            RunQueryResponse.QUERY_FIELD_NUMBER, result.query());
        }
        if (!result.transaction().isEmpty()) {
            total +=
                    CodedOutputStream.computeBytesSize(
                            RunQueryResponse.TRANSACTION_FIELD_NUMBER, result.transaction());
        }
        if (result.explain() != null) {
            total +=
                    CodedOutputStream.computeMessageSize(
                            RunQueryResponse.EXPLAIN_METRICS_FIELD_NUMBER, result.explain());
        }
        byte[] encoded = new byte[total];
        CodedOutputStream out = CodedOutputStream.newInstance(encoded);
        try {
            if (!planOnly) {
                writeDelimiter(out, RunQueryResponse.BATCH_FIELD_NUMBER, batch);
                result.batch().writeTo(out);
                write(out, QueryResultBatch.ENTITY_RESULTS_FIELD_NUMBER, result.hits(), hitBytes);
            }
            if (result.query() != null) {
                out.writeMessage(RunQueryResponse.QUERY_FIELD_NUMBER, result.query());
            }
            if (!result.transaction().isEmpty()) {
                out.writeBytes(RunQueryResponse.TRANSACTION_FIELD_NUMBER, result.transaction());
            }
            if (result.explain() != null) {
                out.writeMessage(RunQueryResponse.EXPLAIN_METRICS_FIELD_NUMBER, result.explain());
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException("a response exceeds its computed size", impossible);
        }
        out.checkNoSpaceLeft();
        return encoded;
    }

    private static int[] sizes(List<EntityHit> hits) {
        int[] sizes = new int[hits.size()];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = size(hits.get(i));
        }
        return sizes;
    }

    private static int size(EntityHit hit) {
        int size = delimitedSize(EntityResult.ENTITY_FIELD_NUMBER, hit.entity().length);
        if (hit.cursor().length > 0) {
            size += delimitedSize(EntityResult.CURSOR_FIELD_NUMBER, hit.cursor().length);
        }
        if (hit.version() != 0) {
            size +=
                    CodedOutputStream.computeInt64Size(
                            EntityResult.VERSION_FIELD_NUMBER, hit.version());
        }
        if (hit.updateTime() != 0) {
            size +=
                    delimitedSize(
                            EntityResult.UPDATE_TIME_FIELD_NUMBER, timeSize(hit.updateTime()));
        }
        if (hit.createTime() != 0) {
            size +=
                    delimitedSize(
                            EntityResult.CREATE_TIME_FIELD_NUMBER, timeSize(hit.createTime()));
        }
        return size;
    }

    private static void write(CodedOutputStream out, int field, List<EntityHit> hits, int[] sizes)
            throws IOException {
        for (int i = 0; i < sizes.length; i++) {
            EntityHit hit = hits.get(i);
            writeDelimiter(out, field, sizes[i]);
            out.writeByteArray(EntityResult.ENTITY_FIELD_NUMBER, hit.entity());
            if (hit.cursor().length > 0) {
                out.writeByteArray(EntityResult.CURSOR_FIELD_NUMBER, hit.cursor());
            }
            if (hit.version() != 0) {
                out.writeInt64(EntityResult.VERSION_FIELD_NUMBER, hit.version());
            }
            if (hit.updateTime() != 0) {
                writeTime(out, EntityResult.UPDATE_TIME_FIELD_NUMBER, hit.updateTime());
            }
            if (hit.createTime() != 0) {
                writeTime(out, EntityResult.CREATE_TIME_FIELD_NUMBER, hit.createTime());
            }
        }
    }

    private static int fieldSizes(int field, int[] sizes) {
        int total = 0;
        for (int size : sizes) {
            total += delimitedSize(field, size);
        }
        return total;
    }

    private static int delimitedSize(int field, int bytes) {
        return CodedOutputStream.computeTagSize(field)
                + CodedOutputStream.computeUInt32SizeNoTag(bytes)
                + bytes;
    }

    private static void writeDelimiter(CodedOutputStream out, int field, int bytes)
            throws IOException {
        out.writeTag(field, WireFormat.WIRETYPE_LENGTH_DELIMITED);
        out.writeUInt32NoTag(bytes);
    }

    private static int timeSize(long micros) {
        long seconds = Math.floorDiv(micros, MICROS_PER_SECOND);
        int nanos = nanos(micros);
        return (seconds == 0
                        ? 0
                        : CodedOutputStream.computeInt64Size(
                                Timestamp.SECONDS_FIELD_NUMBER, seconds))
                + (nanos == 0
                        ? 0
                        : CodedOutputStream.computeInt32Size(Timestamp.NANOS_FIELD_NUMBER, nanos));
    }

    private static void writeTime(CodedOutputStream out, int field, long micros)
            throws IOException {
        writeDelimiter(out, field, timeSize(micros));
        long seconds = Math.floorDiv(micros, MICROS_PER_SECOND);
        if (seconds != 0) {
            out.writeInt64(Timestamp.SECONDS_FIELD_NUMBER, seconds);
        }
        int nanos = nanos(micros);
        if (nanos != 0) {
            out.writeInt32(Timestamp.NANOS_FIELD_NUMBER, nanos);
        }
    }

    private static int nanos(long micros) {
        return Math.floorMod(micros, (int) MICROS_PER_SECOND) * NANOS_PER_MICRO;
    }

    private static Timestamp timestamp(long micros) {
        return Timestamp.newBuilder()
                .setSeconds(Math.floorDiv(micros, MICROS_PER_SECOND))
                .setNanos(nanos(micros))
                .build();
    }
}
