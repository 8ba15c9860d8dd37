package petrichor.apps.instances;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/** Limits how many instances start at the same time; in order of arrival. Thread-safe. */
final class StartSlots {
    private final Deque<Slot> waiting = new ArrayDeque<>();
    private int free;

    /** The turn of one instance. */
    static final class Slot {
        private final CompletableFuture<Void> granted = new CompletableFuture<>();

        CompletableFuture<Void> granted() {
            return granted;
        }
    }

    StartSlots(int slots) {
        this.free = slots;
    }

    /** Must be released in any case. */
    synchronized Slot take() {
        Slot slot = new Slot();
        if (free > 0) {
            free--;
            slot.granted.complete(null);
        } else {
            waiting.addLast(slot);
        }
        return slot;
    }

    void release(Slot slot) {
        Slot next;
        synchronized (this) {
            if (waiting.remove(slot)) {
                return;
            }
            next = waiting.pollFirst();
            if (next == null) {
                free++;
                return;
            }
        }
        next.granted.complete(null);
    }
}
