package petrichor.frontends.access;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.FileProblem;

/**
 * Writes an audit record per request to a file, one JSON object per line. Adding a record is
 * lock-free and never blocks: a bounded queue connects the requests with the single writer thread.
 * If the queue is full or a write fails, records are lost; they are counted in a metric and
 * reported in the server's log, and requests continue. Thread-safe.
 */
public final class AuditLog implements AutoCloseable {
    /** Maximum number of records waiting for the writer, about 4 MB. */
    static final int QUEUED_MAX = 16_384;

    /**
     * Maximum number of records per second for requests without a valid token. Without it, an
     * attacker could displace all other records from the rotated files.
     */
    static final int STRANGERS_PER_SECOND_MAX = 100;

    private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long REPORT_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long CLOSE_MILLIS_MAX = 5_000;
    private static final int BATCH_MAX = 1_024;

    private final AuditSettings.Events events;
    private final @Nullable Thread writer;
    private final Queue<AuditRecord> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final Counter written =
            Counter.builder()
                    .name("petrichor_audit_records_total")
                    .help("Records written to the audit log.")
                    .withoutExemplars()
                    .build();
    private final Counter dropped =
            Counter.builder()
                    .name("petrichor_audit_dropped_total")
                    .help("Audit records lost, by reason.")
                    .labelNames("reason")
                    .withoutExemplars()
                    .build();
    private final CounterDataPoint overflowed = dropped.labelValues("queue_full");
    private final CounterDataPoint unwritable = dropped.labelValues("write_failed");
    private final CounterDataPoint strangers = dropped.labelValues("unauthenticated");
    private final AtomicLong strangersSecond = new AtomicLong();
    private final AtomicInteger strangersInSecond = new AtomicInteger();
    private volatile boolean closed;

    private AuditLog(AuditSettings.Events events, @Nullable AuditFile file) {
        this.events = events;
        this.writer =
                file == null
                        ? null
                        : Thread.ofPlatform()
                                .daemon()
                                .name("audit-log")
                                .unstarted(() -> writeUntilClosed(file));
    }

    /** Records nothing. */
    public static AuditLog off() {
        return new AuditLog(AuditSettings.Events.OFF, null);
    }

    /** Fails if the file cannot be opened for writing. */
    public static AuditLog open(AuditSettings settings) {
        if (settings.events() == AuditSettings.Events.OFF) {
            return off();
        }
        AuditFile file = new AuditFile(settings);
        try {
            file.channel();
        } catch (IOException failed) {
            throw FileProblem.of(
                    "cannot write the audit log " + settings.file() + " (audit.file)", failed);
        }
        AuditLog log = new AuditLog(settings.events(), file);
        if (log.writer != null) {
            log.writer.start();
        }
        return log;
    }

    /** Whether requests that need this role are recorded. */
    boolean wants(Role needed) {
        return switch (events) {
            case OFF -> false;
            case WRITES -> needed.changes();
            case ALL -> true;
        };
    }

    boolean wantsDenials() {
        return events != AuditSettings.Events.OFF;
    }

    void add(AuditRecord entry) {
        if (entry.token() == null && tooManyStrangers()) {
            strangers.inc();
        } else if (queued.incrementAndGet() > QUEUED_MAX) {
            queued.decrementAndGet();
            overflowed.inc();
        } else {
            queue.add(entry);
        }
    }

    private boolean tooManyStrangers() {
        long second = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
        long last = strangersSecond.get();
        if (second != last && strangersSecond.compareAndSet(last, second)) {
            strangersInSecond.set(0);
        }
        return strangersInSecond.incrementAndGet() > STRANGERS_PER_SECOND_MAX;
    }

    private void writeUntilClosed(AuditFile target) {
        long reported = System.nanoTime() - REPORT_NANOS;
        long lostBefore = 0;
        while (!closed || !queue.isEmpty()) {
            if (!writeBatch(target) && !closed) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            long lost = overflowed.getLongValue() + unwritable.getLongValue();
            if (lost > lostBefore && System.nanoTime() - reported > REPORT_NANOS) {
                LOG.warn("the audit log has dropped {} records since the start", lost);
                lostBefore = lost;
                reported = System.nanoTime();
            }
        }
        target.close();
    }

    /** Returns whether there may be more records to write immediately. */
    private boolean writeBatch(AuditFile target) {
        List<String> lines = new ArrayList<>();
        for (AuditRecord next = queue.poll();
                next != null;
                next = lines.size() < BATCH_MAX ? queue.poll() : null) {
            lines.add(next.json());
        }
        if (lines.isEmpty()) {
            return false;
        }
        queued.addAndGet(-lines.size());
        try {
            target.append(lines);
            written.inc(lines.size());
        } catch (IOException failed) {
            if (unwritable.getLongValue() == 0) {
                LOG.warn("the audit log cannot be written: {}", FileProblem.reason(failed));
            }
            unwritable.inc(lines.size());
        }
        return lines.size() == BATCH_MAX;
    }

    /** Registers the metrics of the audit log. */
    public void register(PrometheusRegistry registry) {
        registry.register(written);
        registry.register(dropped);
    }

    /** Writes the queued records, waiting at most five seconds, then closes the file. */
    @Override
    public void close() {
        closed = true;
        if (writer != null) {
            LockSupport.unpark(writer);
            try {
                writer.join(CLOSE_MILLIS_MAX);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
