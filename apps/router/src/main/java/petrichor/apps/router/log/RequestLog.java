package petrichor.apps.router.log;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes records on its own thread. {@link #add} never blocks: records that do not fit into the
 * queue are dropped and counted, and so are those that the target cannot write. Thread-safe.
 */
public final class RequestLog implements AutoCloseable {
    /** A log that writes nothing. */
    public static final RequestLog NONE = new RequestLog();

    /** About 1 KB each. */
    private static final int RECORDS_MAX = 8192;

    private static final int BATCH_RECORDS = 256;

    /** How much later a line may appear. */
    private static final Duration GATHER = Duration.ofMillis(20);

    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

    private final BlockingQueue<RequestRecord> queue;
    private final Target target;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final Thread writer;
    private final LogTime times = new LogTime();
    private volatile boolean closed;

    /** Where the lines go. Called by one thread. */
    public interface Target extends AutoCloseable {
        /**
         * Writes complete lines.
         *
         * @param lines each with its end
         */
        void write(byte[] lines);

        @Override
        void close();
    }

    private RequestLog() {
        this.queue = new ArrayBlockingQueue<>(1);
        this.target = new Nowhere();
        this.writer = Thread.currentThread();
        this.closed = true;
    }

    private RequestLog(Target target, int recordsMax) {
        this.queue = new ArrayBlockingQueue<>(recordsMax);
        this.target = target;
        this.writer = Thread.ofPlatform().name("request-log").daemon().unstarted(this::run);
    }

    /** Closes the target at its end. */
    public static RequestLog to(Target target) {
        return to(target, RECORDS_MAX);
    }

    /**
     * @param recordsMax that wait to be written
     */
    public static RequestLog to(Target target, int recordsMax) {
        RequestLog log = new RequestLog(target, recordsMax);
        log.writer.start();
        return log;
    }

    private static final class Nowhere implements Target {
        @Override
        public void write(byte[] lines) {
            // nothing is kept
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    /** Whether records are written at all. */
    public boolean isOpen() {
        return !closed;
    }

    /** Never blocks. */
    public void add(RequestRecord record) {
        if (!closed && !queue.offer(record)) {
            dropped.incrementAndGet();
        }
    }

    /** Records that were lost because the target was too slow or failed. */
    public long dropped() {
        return dropped.get();
    }

    public long written() {
        return written.get();
    }

    private void run() {
        List<RequestRecord> batch = new ArrayList<>(BATCH_RECORDS);
        while (!closed || !queue.isEmpty()) {
            try {
                RequestRecord first = queue.poll(POLL.toMillis(), TimeUnit.MILLISECONDS);
                if (first != null) {
                    gather();
                    batch.add(first);
                    queue.drainTo(batch, BATCH_RECORDS - 1);
                    write(batch);
                    batch.clear();
                }
            } catch (InterruptedException stopped) {
                break;
            }
        }
        target.close();
    }

    /** One write of many records costs less than a write, and waking up, for each of them. */
    private void gather() throws InterruptedException {
        if (!closed && queue.size() < BATCH_RECORDS) {
            Thread.sleep(GATHER);
        }
    }

    private void write(List<RequestRecord> batch) {
        StringBuilder lines = new StringBuilder(batch.size() * 512);
        for (RequestRecord record : batch) {
            record.append(lines, times);
            lines.append('\n');
        }
        try {
            target.write(lines.toString().getBytes(StandardCharsets.UTF_8));
            written.addAndGet(batch.size());
        } catch (RuntimeException failed) {
            // the next batch may succeed, e.g. when the disk has free space again
            dropped.addAndGet(batch.size());
        }
    }

    /** Writes what the queue contains, for a limited time. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!writer.join(CLOSE_MAX)) {
                writer.interrupt();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
