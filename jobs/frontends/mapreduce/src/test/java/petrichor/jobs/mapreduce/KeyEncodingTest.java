package petrichor.jobs.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.apache.hadoop.io.BooleanWritable;
import org.apache.hadoop.io.ByteWritable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.ShortWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.junit.jupiter.api.Test;

/** Encoded keys have the same order as Hadoop's comparators define for the originals. */
class KeyEncodingTest {
    private static final long SEED = Long.getLong("seed", 42);
    private static final int KEYS = 300;

    @Test
    void textsAndBytes() throws IOException {
        ordered(random -> new Text("é".repeat(random.nextInt(3)) + letters(random)));
        ordered(
                random ->
                        new BytesWritable(
                                letters(random)
                                        .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)));
    }

    private static String letters(Random random) {
        return random.ints(random.nextInt(200), 0, 3)
                .collect(
                        StringBuilder::new,
                        (text, i) -> text.append((char) (i * 100)),
                        StringBuilder::append)
                .toString();
    }

    @Test
    void wholeNumbers() throws IOException {
        ordered(random -> new IntWritable(random.nextInt() >> random.nextInt(32)));
        ordered(random -> new LongWritable(random.nextLong() >> random.nextInt(64)));
        ordered(random -> new ShortWritable((short) random.nextInt()));
        ordered(random -> new ByteWritable((byte) random.nextInt()));
        ordered(random -> new BooleanWritable(random.nextBoolean()));
        ordered(_ -> NullWritable.get());
    }

    @Test
    void floatingPoint() throws IOException {
        List<Double> special =
                List.of(0.0, Double.MAX_VALUE, Double.MIN_VALUE, Double.POSITIVE_INFINITY, 1.0);
        Function<Random, Double> any =
                random ->
                        (random.nextBoolean() ? 1 : -1)
                                * (random.nextInt(3) == 0
                                        ? special.get(random.nextInt(special.size()))
                                        : random.nextGaussian());
        ordered(random -> new DoubleWritable(any.apply(random)));
        ordered(random -> new FloatWritable(any.apply(random).floatValue()));
    }

    private static <T extends WritableComparable<?>> void ordered(Function<Random, T> keys)
            throws IOException {
        Random random = new Random(SEED);
        List<byte[]> plain = new ArrayList<>();
        List<byte[]> encoded = new ArrayList<>();
        Class<? extends WritableComparable<?>> of = classOf(keys.apply(random));
        WritableComparator comparator = WritableComparator.get(of);
        KeyEncoding encoding = Objects.requireNonNull(KeyEncoding.of(of, comparator), of.getName());
        for (int i = 0; i < KEYS; i++) {
            byte[] key = written(keys.apply(random));
            DataOutputBuffer order = new DataOutputBuffer();
            encoding.encode(key, key.length, order);
            byte[] bytes = Arrays.copyOf(order.getData(), order.getLength());
            DataOutputBuffer back = new DataOutputBuffer();
            encoding.decode(bytes, 0, bytes.length, back);
            assertThat(Arrays.copyOf(back.getData(), back.getLength())).isEqualTo(key);
            plain.add(key);
            encoded.add(bytes);
        }
        for (int i = 0; i < KEYS; i++) {
            for (int j = 0; j < KEYS; j++) {
                byte[] left = plain.get(i);
                byte[] right = plain.get(j);
                int wanted = comparator.compare(left, 0, left.length, right, 0, right.length);
                assertThat(Integer.signum(Arrays.compareUnsigned(encoded.get(i), encoded.get(j))))
                        .as(
                                of.getSimpleName()
                                        + " "
                                        + Arrays.toString(left)
                                        + " "
                                        + Arrays.toString(right)
                                        + ", seed "
                                        + SEED)
                        .isEqualTo(Integer.signum(wanted));
            }
        }
    }

    @SuppressWarnings("unchecked") // a key's class is the class of the key
    private static Class<? extends WritableComparable<?>> classOf(WritableComparable<?> key) {
        return (Class<? extends WritableComparable<?>>) key.getClass();
    }

    private static byte[] written(Writable key) throws IOException {
        DataOutputBuffer bytes = new DataOutputBuffer();
        key.write(bytes);
        return Arrays.copyOf(bytes.getData(), bytes.getLength());
    }

    @Test
    void unknownComparatorsAreNotEncoded() {
        assertThat(KeyEncoding.of(LongWritable.class, new LongWritable.DecreasingComparator()))
                .isNull();
        assertThat(
                        KeyEncoding.of(
                                Programs.Reading.class,
                                WritableComparator.get(Programs.Reading.class)))
                .isNull();
    }
}
