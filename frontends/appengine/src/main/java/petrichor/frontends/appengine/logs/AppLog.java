package petrichor.frontends.appengine.logs;

import com.google.apphosting.api.logservice.LogServicePb.RequestLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import petrichor.base.MemoryBudget;

/**
 * The newest log lines of one app, in memory. Each flush of the app is kept as one record. When the
 * app or the server has too many, the app's oldest records are removed. Thread-safe.
 */
final class AppLog {
    /** Of one app, in encoded form. */
    static final int BYTES_MAX = 256 << 10;

    private final MemoryBudget memory;

    /** The oldest record first. */
    private final Deque<RequestLog> records = new ArrayDeque<>();

    private long bytes;

    AppLog(MemoryBudget memory) {
        this.memory = memory;
    }

    /** Drops the record if it does not fit. */
    synchronized void add(RequestLog record) {
        int size = record.getSerializedSize();
        while (!records.isEmpty() && bytes + size > BYTES_MAX) {
            removeOldest();
        }
        boolean reserved = size <= BYTES_MAX && memory.tryReserve(size);
        while (!reserved && size <= BYTES_MAX && !records.isEmpty()) {
            removeOldest();
            reserved = memory.tryReserve(size);
        }
        if (reserved) {
            records.addLast(record);
            bytes += size;
        }
    }

    private void removeOldest() {
        int size = records.removeFirst().getSerializedSize();
        bytes -= size;
        memory.release(size);
    }

    /** The newest records that match, the newest first. */
    synchronized List<RequestLog> newest(int count, Predicate<RequestLog> filter) {
        List<RequestLog> found = new ArrayList<>();
        Iterator<RequestLog> backwards = records.descendingIterator();
        while (backwards.hasNext() && found.size() < count) {
            RequestLog record = backwards.next();
            if (filter.test(record)) {
                found.add(record);
            }
        }
        return found;
    }
}
