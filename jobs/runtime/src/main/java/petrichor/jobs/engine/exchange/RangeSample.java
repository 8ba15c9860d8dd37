package petrichor.jobs.engine.exchange;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;

/**
 * The combined sample of all senders of an edge: when the last one has contributed, the splitters
 * are known. Safe for all threads.
 */
public final class RangeSample {
    private static final long POLL_MS = 20;

    /** Receives the sample of a sender, in the process that combines them. */
    public interface Collector {
        void take(List<byte[]> records);
    }

    private final Key key;
    private final RecordType type;
    private final Collector collector;
    private final CountDownLatch missing = new CountDownLatch(1);
    private volatile List<byte[]> cuts = List.of();

    /** Samples are combined in another process, which calls {@link #settle}. */
    public RangeSample(Key key, RecordType type, Collector collector) {
        this.key = key;
        this.type = type;
        this.collector = collector;
    }

    /** Samples are combined in this process. */
    public RangeSample(Key key, RecordType type, int senders, int ranges) {
        this.key = key;
        this.type = type;
        this.collector = new RangeCollection(key, type, senders, ranges, this::settle);
    }

    public RecordType type() {
        return type;
    }

    public void contribute(List<byte[]> records) {
        collector.take(records);
    }

    /** Sets the splitters. */
    public void settle(List<byte[]> known) {
        cuts = List.copyOf(known);
        missing.countDown();
    }

    public boolean complete() {
        return missing.getCount() == 0;
    }

    /** Waits for the senders that have not contributed yet; they do not depend on the caller. */
    public void await(JobControl control) {
        try {
            while (!missing.await(POLL_MS, TimeUnit.MILLISECONDS)) {
                control.check();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobControl.Stopped();
        }
    }

    /** A sender's own view of the splitters, once the sample is complete. */
    public RangeCuts cuts() {
        return new RangeCuts(key, type, cuts);
    }
}
