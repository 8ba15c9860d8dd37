package petrichor.jobs.engine;

import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What all senders of an edge have seen of their records, put together: when the last one has given
 * its sample, the cuts are known. Safe for all threads.
 */
final class RangeSample {
    private static final long LOOK_MS = 20;

    private final Key key;
    private final RecordType type;
    private final int ranges;
    private final List<byte[]> sample = new ArrayList<>();
    private final CountDownLatch missing;
    private volatile List<byte[]> cuts = List.of();

    RangeSample(Key key, RecordType type, int senders, int ranges) {
        this.key = key;
        this.type = type;
        this.ranges = ranges;
        this.missing = new CountDownLatch(senders);
    }

    Key key() {
        return key;
    }

    RecordType type() {
        return type;
    }

    void contribute(List<byte[]> records) {
        synchronized (sample) {
            sample.addAll(records);
            if (missing.getCount() == 1) {
                cuts = RangeCuts.even(sample, ranges, key, type);
            }
            missing.countDown();
        }
    }

    boolean complete() {
        return missing.getCount() == 0;
    }

    /** Waits for the senders that have not contributed; they do not depend on the caller. */
    void await(JobControl control) {
        try {
            while (!missing.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
                control.check();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobControl.Stopped();
        }
    }

    /** A sender's own view of the cuts, when the sample is complete. */
    RangeCuts cuts() {
        return new RangeCuts(key, type, cuts);
    }
}
