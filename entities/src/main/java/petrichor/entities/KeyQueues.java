package petrichor.entities;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import petrichor.base.Bytes;

/**
 * FIFO queues per key: writers of the same entities without a transaction take turns, in order of
 * arrival, instead of racing for the commit and repeating the work. Thread-safe.
 */
final class KeyQueues {
    /** The last entry of the queue of each key in use. */
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

    /** An entry in a single queue waits for only one turn and cannot be part of a deadlock. */
    private CompletableFuture<Void> enterOne(Bytes key, CompletableFuture<Void> end) {
        CompletableFuture<Void> previous = last.put(key, end);
        return previous == null ? NOW : previous;
    }

    /** Atomic: two arrivals have the same order in all of their queues, so they cannot deadlock. */
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
