package petrichor.tuples;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;

/** A range of keys of a layout with buckets: merges the ranges of all buckets. */
final class BucketMerge {
    private static final int CHUNK_ROWS_MIN = 4;

    private final RowReader reader;
    private final TupleLayout layout;
    private final int chunkRows;
    private final long chunkBytes;

    private BucketMerge(RowReader reader, TupleLayout layout, int buckets, PageSize size) {
        this.reader = reader;
        this.layout = layout;
        this.chunkRows = Math.max(CHUNK_ROWS_MIN, 2 * size.tuples() / buckets);
        this.chunkBytes = size.bytes() / buckets;
    }

    /** A page whose position is the last key that it passed. */
    static FoundTuples page(
            RowReader reader, TupleLayout layout, int buckets, KeySpan span, PageSize size) {
        FoundTuples found = new FoundTuples(size);
        new BucketMerge(reader, layout, buckets, size).fill(found, buckets, span);
        return found;
    }

    /**
     * A root that was passed.
     *
     * @param tuple null if only tuples of colocated collections have the root
     */
    private record Item(byte[] root, @Nullable Tuple tuple) {}

    /** A bucket that is read. Confined to one thread. */
    private final class Bucket {
        private final Deque<Item> items = new ArrayDeque<>();
        private @Nullable KeyRange rest;

        Bucket(KeyRange range) {
            this.rest = range;
        }

        /** Null at the end. */
        @Nullable Item head() {
            while (items.isEmpty() && rest != null) {
                rest = read(rest);
            }
            return items.peek();
        }

        private @Nullable KeyRange read(KeyRange range) {
            long bytes = 0;
            try (RowCursor cursor = reader.scan(range, Direction.FORWARD)) {
                while (cursor.next()) {
                    byte[] row = cursor.key();
                    String key = TupleRows.keyOfTuple(layout, row);
                    byte[] root = TupleRows.rootOfTuple(layout, row);
                    byte[] next = TupleRows.afterRoot(layout, row);
                    byte[] end = range.to();
                    KeyRange following =
                            end != null && Bytes.compare(next, end) >= 0
                                    ? null
                                    : new KeyRange(next, end);
                    if (key == null) {
                        if (items.isEmpty()
                                || !Bytes.of(items.getLast().root()).equals(Bytes.of(root))) {
                            items.add(new Item(root, null));
                        }
                        return following;
                    }
                    items.add(new Item(root, TupleRows.decode(key, cursor.value())));
                    bytes += cursor.value().length;
                    if (items.size() >= chunkRows || bytes >= chunkBytes) {
                        return following;
                    }
                }
            }
            return null;
        }
    }

    private void fill(FoundTuples found, int buckets, KeySpan span) {
        PriorityQueue<Bucket> queue =
                new PriorityQueue<>(
                        Comparator.comparing(
                                bucket -> {
                                    Item head = bucket.items.getFirst();
                                    return Bytes.of(head.root());
                                }));
        for (int k = 0; k < buckets; k++) {
            Bucket bucket = new Bucket(TupleRows.roots(layout, TupleLayout.bucketPrefix(k), span));
            if (bucket.head() != null) {
                queue.add(bucket);
            }
        }
        while (!queue.isEmpty()) {
            Bucket bucket = queue.remove();
            Item item = bucket.items.remove();
            found.passed(item.root());
            Tuple tuple = item.tuple();
            if (tuple != null) {
                found.add(tuple);
            }
            if (found.isFull()) {
                return;
            }
            if (bucket.head() != null) {
                queue.add(bucket);
            }
        }
        found.end();
    }
}
