package petrichor.transactions.ring;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/**
 * Counts the bytes of all ranges of a ring, in slices: small ones at first, which are joined in
 * pairs when there are too many. A page of rows per call. Confined to one thread.
 */
final class RingMeasure {
    private static final int SLICES_MAX = 1_024;
    private static final long SLICE_BYTES_MIN = 256;

    private final RingPoint point;
    private final RingMap map;
    private final List<RingPlanner.Slice> slices = new ArrayList<>();
    private long sliceBytes = SLICE_BYTES_MIN;
    private int range;
    private byte @Nullable [] next;
    private byte[] sliceFrom = {};
    private long open;

    RingMeasure(RingPoint point, RingMap map) {
        this.point = point;
        this.map = map;
    }

    /** Whether it is about the map that is valid now. */
    boolean isOf(RingMap now) {
        return now.version() == map.version();
    }

    /** False when all is measured. */
    boolean page() {
        if (range == map.ranges().size()) {
            return false;
        }
        RingMap.Range part = map.ranges().get(range);
        KeyRange left = next == null ? part.keys() : new KeyRange(next, part.keys().to());
        if (next == null) {
            sliceFrom = part.keys().from();
        }
        byte[] end = point.measure(part.store(), left, (key, bytes) -> row(part, key, bytes));
        if (end == null) {
            add(part, part.keys().to());
            range++;
        }
        next = end;
        return true;
    }

    private void row(RingMap.Range part, byte[] key, long bytes) {
        if (open >= sliceBytes) {
            add(part, key);
            sliceFrom = key;
        }
        open += bytes;
    }

    private void add(RingMap.Range part, byte @Nullable [] to) {
        slices.add(new RingPlanner.Slice(new KeyRange(sliceFrom, to), part.store(), open, open));
        open = 0;
        if (slices.size() > SLICES_MAX) {
            join();
        }
    }

    private void join() {
        sliceBytes *= 2;
        List<RingPlanner.Slice> joined = new ArrayList<>();
        for (RingPlanner.Slice slice : slices) {
            RingPlanner.Slice last = joined.isEmpty() ? null : joined.getLast();
            byte[] end = last == null ? null : last.keys().to();
            if (last != null
                    && end != null
                    && last.store().equals(slice.store())
                    && last.bytes() + slice.bytes() <= sliceBytes
                    && Bytes.compare(end, slice.keys().from()) == 0) {
                long bytes = last.bytes() + slice.bytes();
                joined.set(
                        joined.size() - 1,
                        new RingPlanner.Slice(
                                new KeyRange(last.keys().from(), slice.keys().to()),
                                slice.store(),
                                bytes,
                                bytes));
            } else {
                joined.add(slice);
            }
        }
        slices.clear();
        slices.addAll(joined);
    }

    /** In the order of keys. */
    List<RingPlanner.Slice> slices() {
        return List.copyOf(slices);
    }
}
