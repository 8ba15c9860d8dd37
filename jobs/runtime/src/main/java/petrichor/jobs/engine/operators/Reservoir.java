package petrichor.jobs.engine.operators;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import petrichor.jobs.records.RecordView;

/**
 * Reservoir sampling: a sample of fixed size that includes every record with the same probability.
 * Belongs to one thread.
 */
final class Reservoir {
    private final int size;
    private final SplittableRandom random;
    private final List<byte[]> sample = new ArrayList<>();
    private long seen;

    Reservoir(int size, long seed) {
        this.size = size;
        this.random = new SplittableRandom(seed);
    }

    void offer(RecordView record) {
        seen++;
        if (sample.size() < size) {
            sample.add(bytes(record));
            return;
        }
        long at = random.nextLong(seen);
        if (at < size) {
            sample.set((int) at, bytes(record));
        }
    }

    List<byte[]> sample() {
        return sample;
    }

    private static byte[] bytes(RecordView record) {
        return Arrays.copyOfRange(record.base(), record.at(), record.at() + record.bytes());
    }
}
