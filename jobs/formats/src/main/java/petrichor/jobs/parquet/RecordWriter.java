package petrichor.jobs.parquet;

import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Slice;

/** Creates the library's writer of records, with their schema. */
final class RecordWriter extends ParquetWriter.Builder<RecordView, RecordWriter> {
    private final RecordType type;

    RecordWriter(OutputFile file, RecordType type) {
        super(file);
        this.type = type;
    }

    @Override
    protected RecordWriter self() {
        return this;
    }

    @Override
    protected WriteSupport<RecordView> getWriteSupport(ParquetConfiguration configuration) {
        return new Fields(type);
    }

    @Override
    @SuppressWarnings("deprecation") // deprecated, but still abstract
    protected WriteSupport<RecordView> getWriteSupport(Configuration configuration) {
        return new Fields(type);
    }

    private static MessageType schema(RecordType type) {
        var schema = Types.buildMessage();
        for (var field : type.fields()) {
            var column =
                    switch (field.type()) {
                        case BOOLEAN -> Types.optional(PrimitiveTypeName.BOOLEAN);
                        case INT32 -> Types.optional(PrimitiveTypeName.INT32);
                        case INT64 -> Types.optional(PrimitiveTypeName.INT64);
                        case FLOAT64 -> Types.optional(PrimitiveTypeName.DOUBLE);
                        case TEXT ->
                                Types.optional(PrimitiveTypeName.BINARY)
                                        .as(LogicalTypeAnnotation.stringType());
                        case BYTES -> Types.optional(PrimitiveTypeName.BINARY);
                    };
            schema.addField(column.named(field.name()));
        }
        return schema.named("record");
    }

    /** Writes a record field by field; belongs to one thread. */
    private static final class Fields extends WriteSupport<RecordView> {
        private final RecordType type;
        private final Slice slice = new Slice();
        private @Nullable RecordConsumer consumer;

        Fields(RecordType type) {
            this.type = type;
        }

        @Override
        public WriteContext init(ParquetConfiguration configuration) {
            return new WriteContext(schema(type), Map.of());
        }

        @Override
        @SuppressWarnings("deprecation") // deprecated, but still abstract
        public WriteContext init(Configuration configuration) {
            return new WriteContext(schema(type), Map.of());
        }

        @Override
        public void prepareForWrite(RecordConsumer newConsumer) {
            consumer = newConsumer;
        }

        @Override
        public void write(RecordView record) {
            var out = Objects.requireNonNull(consumer);
            out.startMessage();
            for (int field = 0; field < type.size(); field++) {
                if (!record.isNull(field)) {
                    out.startField(type.name(field), field);
                    value(record, field, out);
                    out.endField(type.name(field), field);
                }
            }
            out.endMessage();
        }

        private void value(RecordView record, int field, RecordConsumer out) {
            switch (type.type(field)) {
                case BOOLEAN -> out.addBoolean(record.bool(field));
                case INT32 -> out.addInteger(record.int32(field));
                case INT64 -> out.addLong(record.int64(field));
                case FLOAT64 -> out.addDouble(record.float64(field));
                case TEXT, BYTES -> {
                    record.slice(field, slice);
                    out.addBinary(
                            Binary.fromReusedByteArray(slice.base(), slice.at(), slice.length()));
                }
            }
        }
    }
}
