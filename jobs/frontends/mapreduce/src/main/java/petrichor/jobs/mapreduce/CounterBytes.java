package petrichor.jobs.mapreduce;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.mapreduce.Counters;

/** Serializes counters, in Hadoop's format. Stateless. */
final class CounterBytes {
    private CounterBytes() {}

    static byte[] of(Counters counters) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            counters.write(new DataOutputStream(bytes));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    static Counters parse(byte[] bytes) {
        Counters counters = new Counters();
        try {
            counters.readFields(new DataInputStream(new ByteArrayInputStream(bytes)));
        } catch (IOException wrong) {
            throw new UncheckedIOException(wrong);
        }
        return counters;
    }
}
