package petrichor.movement.upstream;

import com.google.protobuf.ByteString;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/**
 * The transactions that clients have started and not ended, so that a switch can wait for them.
 * Abandoned ones are forgotten. Thread-safe.
 */
final class UnfinishedTransactions {
    /** Google's and our limit for a transaction without requests. */
    private static final long IDLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);

    /** Beyond these, a switch does not wait for further ones. */
    private static final int COUNT_MAX = 100_000;

    private final ConcurrentMap<ByteString, Long> usedAt = new ConcurrentHashMap<>();

    void used(ByteString transaction) {
        if (!transaction.isEmpty()
                && (usedAt.size() < COUNT_MAX || usedAt.containsKey(transaction))) {
            usedAt.put(transaction, System.nanoTime());
        }
    }

    void ended(ByteString transaction) {
        usedAt.remove(transaction);
    }

    boolean none() {
        long now = System.nanoTime();
        usedAt.values().removeIf(at -> now - at > IDLE_NANOS_MAX);
        return usedAt.isEmpty();
    }
}
