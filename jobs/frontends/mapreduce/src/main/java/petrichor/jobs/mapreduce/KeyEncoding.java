package petrichor.jobs.mapreduce;

import java.io.IOException;
import org.apache.hadoop.io.BooleanWritable;
import org.apache.hadoop.io.ByteWritable;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.FloatWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.ShortWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.jspecify.annotations.Nullable;

/**
 * Order-preserving encodings of keys, so that the engine can sort them as bytes. Only for keys and
 * comparators of Hadoop's own; the order of any other comparator is opaque ({@link
 * ComparatorSort}). Stateless.
 */
enum KeyEncoding {
    /** Texts: the bytes after the length. */
    TEXT {
        @Override
        void encode(byte[] key, int length, DataOutputBuffer order) throws IOException {
            int skipped = WritableUtils.decodeVIntSize(key[0]);
            order.write(key, skipped, length - skipped);
        }

        @Override
        void decode(byte[] order, int at, int length, DataOutputBuffer key) throws IOException {
            WritableUtils.writeVInt(key, length);
            key.write(order, at, length);
        }
    },

    /** Bytes after a length of four bytes. */
    BYTES {
        @Override
        void encode(byte[] key, int length, DataOutputBuffer order) throws IOException {
            order.write(key, Integer.BYTES, length - Integer.BYTES);
        }

        @Override
        void decode(byte[] order, int at, int length, DataOutputBuffer key) throws IOException {
            key.writeInt(length);
            key.write(order, at, length);
        }
    },

    /** Integers, big-endian, with the sign bit flipped. */
    SIGNED {
        @Override
        void encode(byte[] key, int length, DataOutputBuffer order) throws IOException {
            order.write(key[0] ^ SIGN);
            order.write(key, 1, length - 1);
        }

        @Override
        void decode(byte[] order, int at, int length, DataOutputBuffer key) throws IOException {
            key.write(order[at] ^ SIGN);
            key.write(order, at + 1, length - 1);
        }
    },

    /** Floating point: as above, and for negative numbers all bits are flipped. */
    FLOATING {
        @Override
        void encode(byte[] key, int length, DataOutputBuffer order) throws IOException {
            int turn = key[0] < 0 ? 0xff : 0;
            order.write(key[0] ^ (turn | SIGN));
            for (int i = 1; i < length; i++) {
                order.write(key[i] ^ turn);
            }
        }

        @Override
        void decode(byte[] order, int at, int length, DataOutputBuffer key) throws IOException {
            int turn = order[at] < 0 ? 0 : 0xff;
            key.write(order[at] ^ (turn | SIGN));
            for (int i = 1; i < length; i++) {
                key.write(order[at + i] ^ turn);
            }
        }
    },

    /** Keys whose serialized bytes are already in order. */
    PLAIN {
        @Override
        void encode(byte[] key, int length, DataOutputBuffer order) throws IOException {
            order.write(key, 0, length);
        }

        @Override
        void decode(byte[] order, int at, int length, DataOutputBuffer key) throws IOException {
            key.write(order, at, length);
        }
    };

    private static final int SIGN = 0x80;

    /** Appends the encoding of this key to {@code order}. */
    abstract void encode(byte[] key, int length, DataOutputBuffer order) throws IOException;

    /** Appends the decoded key to {@code key}. */
    abstract void decode(byte[] order, int at, int length, DataOutputBuffer key) throws IOException;

    /** Null if the order of these keys is opaque. */
    static @Nullable KeyEncoding of(Class<?> keys, RawComparator<?> comparator) {
        Class<?> by = comparator.getClass();
        if (keys == Text.class && by == Text.Comparator.class) {
            return TEXT;
        }
        if (keys == BytesWritable.class && by == BytesWritable.Comparator.class) {
            return BYTES;
        }
        if ((keys == IntWritable.class && by == IntWritable.Comparator.class)
                || (keys == LongWritable.class && by == LongWritable.Comparator.class)
                || (keys == ShortWritable.class && by == ShortWritable.Comparator.class)
                || (keys == ByteWritable.class && by == ByteWritable.Comparator.class)) {
            return SIGNED;
        }
        if ((keys == DoubleWritable.class && by == DoubleWritable.Comparator.class)
                || (keys == FloatWritable.class && by == FloatWritable.Comparator.class)) {
            return FLOATING;
        }
        if ((keys == NullWritable.class && by == NullWritable.Comparator.class)
                || (keys == BooleanWritable.class && by == BooleanWritable.Comparator.class)) {
            return PLAIN;
        }
        return null;
    }
}
