package petrichor.jobs.engine.memory;

import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.KeyPrefix;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * Second phase of a sort by prefix: where prefixes are equal and undecided, merge-sorts the records
 * themselves. Belongs to one thread.
 */
final class TieSort {
    private static final int INSERTION_MAX = 12;

    private final KeyOrder order;
    private final KeyPrefix prefix;
    private final byte[][] arrays;
    private final RecordView left;
    private final RecordView right;
    private long[] from = {};
    private long[] to = {};

    TieSort(KeyOrder order, KeyPrefix prefix, RecordType type, byte[][] arrays) {
        this.order = order;
        this.prefix = prefix;
        this.arrays = arrays;
        this.left = new RecordView(type);
        this.right = new RecordView(type);
    }

    /** Sorts the ties among pairs that are sorted by prefix. */
    void sort(long[] pairs, int count) {
        int begin = 0;
        for (int i = 1; i <= count; i++) {
            if (i == count || pairs[2 * i] != pairs[2 * begin]) {
                if (i - begin > 1 && !prefix.decides(pairs[2 * begin])) {
                    sort(pairs, begin, i);
                }
                begin = i;
            }
        }
    }

    private void sort(long[] pairs, int begin, int end) {
        int count = end - begin;
        if (count > INSERTION_MAX) {
            if (from.length < count) {
                from = new long[count];
                to = new long[count];
            }
            for (int i = 0; i < count; i++) {
                from[i] = pairs[2 * (begin + i) + 1];
            }
            System.arraycopy(from, 0, to, 0, count);
            merge(from, to, 0, count);
            for (int i = 0; i < count; i++) {
                pairs[2 * (begin + i) + 1] = to[i];
            }
            return;
        }
        for (int i = begin + 1; i < end; i++) {
            long place = pairs[2 * i + 1];
            int j = i - 1;
            while (j >= begin && compare(pairs[2 * j + 1], place) > 0) {
                pairs[2 * j + 3] = pairs[2 * j + 1];
                j--;
            }
            pairs[2 * j + 3] = place;
        }
    }

    /** Sorts a range of both arrays, which have the same content, into {@code target}. */
    private void merge(long[] source, long[] target, int low, int high) {
        if (high - low < 2) {
            return;
        }
        int middle = (low + high) >>> 1;
        merge(target, source, low, middle);
        merge(target, source, middle, high);
        int a = low;
        int b = middle;
        for (int i = low; i < high; i++) {
            boolean takeLeft = b >= high || (a < middle && compare(source[a], source[b]) <= 0);
            target[i] = takeLeft ? source[a++] : source[b++];
        }
    }

    private int compare(long a, long b) {
        left.at(arrays[(int) (a >>> 32)], (int) a);
        right.at(arrays[(int) (b >>> 32)], (int) b);
        return order.compare(left, right);
    }
}
