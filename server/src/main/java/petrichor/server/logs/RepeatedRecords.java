package petrichor.server.logs;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Rate-limits log records: passes a few records of each kind per minute and reports the number of
 * suppressed ones at the end of that minute. It is meant for drivers of datastores and of
 * ZooKeeper, which repeat their warnings with every attempt while a server is unreachable. A kind
 * is a logger, a level and a message without its numbers. Records of Petrichor's own loggers always
 * pass.
 *
 * <p>Thread-safe. Owns the handler below.
 */
final class RepeatedRecords extends Handler {
    static final int RECORDS_MAX = 3;
    static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * Maximum number of kinds counted at the same time; beyond it, the oldest is reported early.
     */
    static final int KINDS_MAX = 200;

    private static final int KIND_CHARACTERS_MAX = 120;
    private static final String OURS = "petrichor";

    private final Handler below;
    private final LongSupplier nanos;
    private final Map<Kind, Count> counts = new LinkedHashMap<>();
    private volatile boolean closed;

    private record Kind(String logger, Level level, String message) {}

    private static final class Count {
        private final long since;
        private int records;

        Count(long since) {
            this.since = since;
        }
    }

    RepeatedRecords(Handler below, LongSupplier nanos) {
        this.below = below;
        this.nanos = nanos;
    }

    /** Starts reporting at regular intervals, even if nothing more is logged. */
    RepeatedRecords reporting() {
        Thread.ofPlatform()
                .daemon()
                .name("log-report")
                .start(
                        () -> {
                            while (!closed) {
                                LockSupport.parkNanos(WINDOW_NANOS / 4);
                                report();
                            }
                        });
        return this;
    }

    @Override
    public void publish(LogRecord record) {
        String logger = String.valueOf(record.getLoggerName());
        if (logger.startsWith(OURS) || admitted(logger, record)) {
            below.publish(record);
        }
    }

    private synchronized boolean admitted(String logger, LogRecord record) {
        report();
        Count count =
                counts.computeIfAbsent(
                        new Kind(logger, record.getLevel(), kind(record)),
                        _ -> new Count(nanos.getAsLong()));
        if (counts.size() > KINDS_MAX) {
            var oldest = counts.entrySet().iterator().next();
            counts.remove(oldest.getKey());
            report(oldest.getKey(), oldest.getValue());
        }
        return ++count.records <= RECORDS_MAX;
    }

    private static String kind(LogRecord record) {
        String message = String.valueOf(record.getMessage());
        return message.substring(0, Math.min(KIND_CHARACTERS_MAX, message.length()))
                .replaceAll("[0-9a-fA-FxX]*[0-9][0-9a-fA-F]*", "#");
    }

    /** Reports the number of suppressed records of each kind whose minute is over. */
    synchronized void report() {
        long now = nanos.getAsLong();
        var kinds = counts.entrySet().iterator();
        while (kinds.hasNext()) {
            var kind = kinds.next();
            if (now - kind.getValue().since < WINDOW_NANOS) {
                // Kinds are ordered by their start.
                return;
            }
            kinds.remove();
            report(kind.getKey(), kind.getValue());
        }
    }

    private void report(Kind kind, Count count) {
        int suppressed = count.records - RECORDS_MAX;
        if (suppressed > 0) {
            LogRecord record =
                    new LogRecord(
                            kind.level(),
                            suppressed
                                    + " similar messages were suppressed within "
                                    + TimeUnit.NANOSECONDS.toSeconds(
                                            nanos.getAsLong() - count.since)
                                    + " s: "
                                    + kind.message());
            record.setLoggerName(kind.logger());
            below.publish(record);
        }
    }

    @Override
    public void flush() {
        below.flush();
    }

    /** Reports the records suppressed until now. */
    @Override
    public synchronized void close() {
        closed = true;
        counts.forEach(this::report);
        counts.clear();
        below.close();
    }
}
