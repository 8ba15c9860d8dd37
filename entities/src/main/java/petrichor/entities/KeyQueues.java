package petrichor.entities;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import petrichor.base.Bytes;

/**
 * Lets those who write the same entities without a transaction take turns, in the order of their
 * arrival, instead of racing for who commits first and repeating the work. Safe for any thread.
 */
final class KeyQueues {
    /** Who came last, for each key that anybody works on. */
    private final Map<Bytes, CompletableFuture<Void>> last = new HashMap<>();

    /** A place in the queues of all its keys; leave them whatever happens. */
    record Turn(
            KeyQueues queues,
            Set<Bytes> keys,
            CompletableFuture<Void> end,
            CompletableFuture<Void> ready) {
        void leave() {
            queues.leave(this);
        }
    }

    /**
     * Joins all queues at once: two arrivals meet in the same order in each of them, so they can't
     * wait for each other.
     */
    Turn enter(Set<Bytes> keys) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        List<CompletableFuture<Void>> before = new ArrayList<>();
        synchronized (this) {
            for (Bytes key : keys) {
                CompletableFuture<Void> previous = last.put(key, end);
                if (previous != null) {
                    before.add(previous);
                }
            }
        }
        return new Turn(
                this, keys, end, CompletableFuture.allOf(before.toArray(CompletableFuture[]::new)));
    }

    private void leave(Turn turn) {
        synchronized (this) {
            for (Bytes key : turn.keys()) {
                last.remove(key, turn.end());
            }
        }
        turn.end().complete(null);
    }
}
