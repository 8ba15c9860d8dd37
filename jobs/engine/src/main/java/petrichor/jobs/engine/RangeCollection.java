package petrichor.jobs.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

/**
 * Puts the samples of all senders of an edge together and cuts them evenly. Safe for all threads.
 */
final class RangeCollection implements RangeSample.Collector {
    private final Key key;
    private final RecordType type;
    private final int ranges;
    private final Consumer<List<byte[]>> known;
    private final List<byte[]> sample = new ArrayList<>();
    private int missing;

    RangeCollection(
            Key key, RecordType type, int senders, int ranges, Consumer<List<byte[]>> known) {
        this.key = key;
        this.type = type;
        this.ranges = ranges;
        this.missing = senders;
        this.known = known;
    }

    @Override
    public void take(List<byte[]> records) {
        synchronized (sample) {
            sample.addAll(records);
            if (--missing == 0) {
                known.accept(RangeCuts.even(sample, ranges, key, type));
            }
        }
    }
}
