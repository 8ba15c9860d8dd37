package petrichor.kv.mongodb;

import com.mongodb.event.CommandFailedEvent;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the reads that the driver retries: a command that starts in an operation of which a
 * command has failed. Thread-safe.
 */
final class Repetitions implements CommandListener {
    /** Operations whose last command has failed; the oldest are evicted. */
    private static final int FAILED_MAX = 1_000;

    private final Map<Long, Boolean> failed =
            Collections.synchronizedMap(
                    new LinkedHashMap<>() {
                        @Override
                        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
                            return size() > FAILED_MAX;
                        }
                    });
    private final LongAdder count = new LongAdder();

    long count() {
        return count.sum();
    }

    @Override
    public void commandStarted(CommandStartedEvent event) {
        if (!failed.isEmpty() && failed.remove(event.getOperationId()) != null) {
            count.increment();
        }
    }

    @Override
    public void commandSucceeded(CommandSucceededEvent event) {}

    @Override
    public void commandFailed(CommandFailedEvent event) {
        failed.put(event.getOperationId(), true);
    }
}
