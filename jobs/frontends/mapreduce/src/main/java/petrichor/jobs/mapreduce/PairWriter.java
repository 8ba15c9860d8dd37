package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapreduce.Counter;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;

/** Builds records from keys and values, for one map or combiner. Belongs to one thread. */
final class PairWriter {
    private final Class<?> keyClass;
    private final Class<?> valueClass;
    private final Serializer<Object> keys;
    private final Serializer<Object> values;
    private final DataOutputBuffer key = new DataOutputBuffer();
    private final DataOutputBuffer value = new DataOutputBuffer();
    private final DataOutputBuffer order = new DataOutputBuffer();
    private final @Nullable KeyEncoding encoding;
    private final Counter records;
    private final Counter bytes;
    private final Out out;

    PairWriter(Program program, Counter records, Counter bytes, Out out) throws IOException {
        this.keyClass = program.keys();
        this.valueClass = program.values();
        this.keys = program.serializer(program.keys());
        this.values = program.serializer(program.values());
        this.encoding = KeyEncoding.of(program.keys(), program.sorting());
        this.records = records;
        this.bytes = bytes;
        this.out = out;
        keys.open(key);
        values.open(value);
    }

    void write(int seat, Object newKey, Object newValue) throws IOException {
        check("key", keyClass, newKey);
        check("value", valueClass, newValue);
        keys.serialize(newKey);
        values.serialize(newValue);
        RecordBuilder record = out.record().int32(MapOutput.SEAT, seat);
        if (encoding == null) {
            record.bytes(MapOutput.ORDER, key.getData(), 0, key.getLength());
        } else {
            encoding.encode(key.getData(), key.getLength(), order);
            record.bytes(MapOutput.ORDER, order.getData(), 0, order.getLength());
        }
        record.bytes(MapOutput.VALUE, value.getData(), 0, value.getLength());
        records.increment(1);
        bytes.increment(key.getLength() + value.getLength());
        key.reset();
        value.reset();
        order.reset();
        record.emit();
    }

    /** An object of another class than the job declares would be deserialized as something else. */
    private static void check(String what, Class<?> said, Object given) throws IOException {
        if (given.getClass() != said) {
            throw new IOException(
                    "a "
                            + what
                            + " of "
                            + said.getName()
                            + " was expected from the map, and one of "
                            + given.getClass().getName()
                            + " was written: name the class with setMapOutput"
                            + (what.equals("key") ? "Key" : "Value")
                            + "Class");
        }
    }
}
