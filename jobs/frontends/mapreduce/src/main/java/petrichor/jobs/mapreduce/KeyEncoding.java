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
 * Keys as bytes whose order is that of the job's comparator, so that the engine sorts them like
 * anything else. Only for keys and comparators of Hadoop's own; what others mean by their order is
 * known to them alone ({@link ComparatorSort}). Stateless.
 */
enum KeyEncoding {
    /** Texts: what follows the length. */
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

    /** Bytes behind a length of four bytes. */
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

    /** Whole numbers, the highest byte first: the sign bit is turned. */
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

    /** Floating point: of negative numbers all bits are turned. */
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

    /** What is ordered by its bytes as it is. */
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

    /** Appends to {@code order} what sorts as this key does. */
    abstract void encode(byte[] key, int length, DataOutputBuffer order) throws IOException;

    /** Appends to {@code key} what was encoded. */
    abstract void decode(byte[] order, int at, int length, DataOutputBuffer key) throws IOException;

    /** Null if the order of these keys is known to their comparator only. */
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
