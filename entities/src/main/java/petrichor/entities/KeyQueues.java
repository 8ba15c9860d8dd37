package petrichor.entities;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import petrichor.base.Bytes;

/**
 * Lets those who write the same entities without a transaction take turns, in the order of their
 * arrival, instead of racing for who commits first and repeating the work. Safe for any thread.
 */
final class KeyQueues {
    /** Who came last, for each key that anybody works on. */
    private final ConcurrentMap<Bytes, CompletableFuture<Void>> last = new ConcurrentHashMap<>();

    private static final CompletableFuture<Void> NOW = CompletableFuture.completedFuture(null);

    /** A place in the queues of all its keys; must be left in every case. */
    record Turn(
            KeyQueues queues,
            Set<Bytes> keys,
            CompletableFuture<Void> end,
            CompletableFuture<Void> ready) {
        void leave() {
            queues.leave(this);
        }
    }

    /** Joins the queues of all these keys. */
    Turn enter(Set<Bytes> keys) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Void> ready =
                keys.size() == 1 ? enterOne(keys.iterator().next(), end) : enterAll(keys, end);
        return new Turn(this, keys, end, ready);
    }

    /** Who is in one queue only waits for one turn and closes no circle of those who wait. */
    private CompletableFuture<Void> enterOne(Bytes key, CompletableFuture<Void> end) {
        CompletableFuture<Void> previous = last.put(key, end);
        return previous == null ? NOW : previous;
    }

    /**
     * At once: two arrivals meet in the same order in each of their queues, so they can't wait for
     * each other.
     */
    private synchronized CompletableFuture<Void> enterAll(
            Set<Bytes> keys, CompletableFuture<Void> end) {
        List<CompletableFuture<Void>> before = new ArrayList<>();
        for (Bytes key : keys) {
            CompletableFuture<Void> previous = last.put(key, end);
            if (previous != null) {
                before.add(previous);
            }
        }
        return CompletableFuture.allOf(before.toArray(CompletableFuture[]::new));
    }

    private void leave(Turn turn) {
        for (Bytes key : turn.keys()) {
            last.remove(key, turn.end());
        }
        turn.end().complete(null);
    }
}
