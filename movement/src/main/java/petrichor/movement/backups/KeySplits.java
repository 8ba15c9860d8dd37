package petrichor.movement.backups;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;

/**
 * Divides a range of rows without reading them all: halves the space of keys between the first and
 * the last row, and again each half. Skewed keys give ranges of different size. Confined to one
 * thread.
 */
final class KeySplits {
    private final RowReader rows;

    KeySplits(RowReader rows) {
        this.rows = rows;
    }

    /** Existing keys, in order, that start all but the first of up to {@code ranges} parts. */
    List<byte[]> of(KeyRange range, int ranges) {
        byte[] first = end(range, Direction.FORWARD);
        byte[] last = end(range, Direction.REVERSE);
        List<byte[]> splits = new ArrayList<>();
        if (first != null && last != null) {
            split(first, last, ranges, splits);
        }
        return splits;
    }

    private void split(byte[] first, byte[] last, int ranges, List<byte[]> splits) {
        if (ranges < 2 || Bytes.compare(first, last) >= 0) {
            return;
        }
        byte[] middle =
                end(new KeyRange(middle(first, last), Bytes.successor(last)), Direction.FORWARD);
        if (middle == null || Bytes.compare(middle, first) <= 0) {
            return;
        }
        byte[] before = end(new KeyRange(first, middle), Direction.REVERSE);
        if (before != null) {
            split(first, before, ranges / 2, splits);
        }
        splits.add(middle);
        split(middle, last, ranges - ranges / 2, splits);
    }

    /** The first or the last row of a range; null if it has none. */
    private byte @Nullable [] end(KeyRange range, Direction direction) {
        try (RowCursor cursor = rows.scan(range, direction)) {
            return cursor.next() ? cursor.key() : null;
        }
    }

    /** A key halfway between two, as far as the eight bytes after their common prefix show. */
    private static byte[] middle(byte[] first, byte[] last) {
        int common = Arrays.mismatch(first, last);
        long low = number(first, common);
        long high = number(last, common);
        // Both are unsigned; half of each avoids an overflow.
        long half = (low >>> 1) + (high >>> 1) + (low & high & 1);
        return ByteBuffer.allocate(common + Long.BYTES).put(first, 0, common).putLong(half).array();
    }

    private static long number(byte[] key, int from) {
        byte[] part = Arrays.copyOfRange(key, from, from + Long.BYTES);
        return ByteBuffer.wrap(part).getLong();
    }
}
