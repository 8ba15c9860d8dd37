package petrichor.jobs.engine.exchange;

import java.util.ArrayList;
import java.util.List;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.KeyPrefix;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * The splitters of a range partitioning: receiver i gets the records less than cut i and not less
 * than cut i - 1. Holds mutable views, so each sender makes its own instance from the records.
 */
public final class RangeCuts {
    private final KeyOrder order;
    private final KeyPrefix prefix;
    private final RecordView[] cuts;
    private final long[] prefixes;

    public RangeCuts(Key key, RecordType type, List<byte[]> cuts) {
        this.order = KeyOrder.of(key, type);
        this.prefix = KeyPrefix.of(key, type);
        this.cuts = new RecordView[cuts.size()];
        this.prefixes = new long[cuts.size()];
        for (int i = 0; i < this.cuts.length; i++) {
            this.cuts[i] = new RecordView(type).at(cuts.get(i), 0);
            prefixes[i] = prefix.of(this.cuts[i]);
        }
    }

    /** Computes splitters that divide a sample evenly; none without a sample. */
    public static List<byte[]> even(List<byte[]> sample, int ranges, Key key, RecordType type) {
        if (sample.isEmpty()) {
            return List.of();
        }
        KeyOrder order = KeyOrder.of(key, type);
        RecordView left = new RecordView(type);
        RecordView right = new RecordView(type);
        List<byte[]> sorted = new ArrayList<>(sample);
        sorted.sort((a, b) -> order.compare(left.at(a, 0), right.at(b, 0)));
        List<byte[]> cuts = new ArrayList<>();
        for (int i = 1; i < ranges; i++) {
            cuts.add(sorted.get((int) ((long) i * sorted.size() / ranges)));
        }
        return cuts;
    }

    /** The receiver of a record: the number of cuts that are not greater than it. */
    public int range(RecordView record) {
        long mine = prefix.of(record);
        int low = 0;
        int high = cuts.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int compared = Long.compareUnsigned(prefixes[middle], mine);
            if (compared == 0 && !prefix.decides(mine)) {
                compared = order.compare(cuts[middle], record);
            }
            if (compared <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
