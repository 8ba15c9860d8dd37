package petrichor.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * Batches items that many threads send on one stream: items added while a message is being written
 * are sent in the next one. No timer is involved, and no thread waits: one thread sends for all.
 * Thread-safe.
 *
 * @param <T> item type
 */
final class PeerOutbox<T> {
    /** Of one message; a single larger item is sent alone. */
    private static final int MESSAGE_BYTES_MAX = 256 << 10;

    private final ToIntFunction<T> size;
    private final BooleanSupplier ready;
    private final Consumer<List<T>> send;
    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sending = new AtomicBoolean();

    /**
     * @param size of an item in bytes
     * @param ready whether the stream accepts more now; call {@link #flush} when it does again
     * @param send called by one thread at a time
     */
    PeerOutbox(ToIntFunction<T> size, BooleanSupplier ready, Consumer<List<T>> send) {
        this.size = size;
        this.ready = ready;
        this.send = send;
    }

    void add(T one) {
        queue.add(one);
        flush();
    }

    /** Whether nothing is queued and no thread is sending. */
    boolean isEmpty() {
        return queue.isEmpty() && !sending.get();
    }

    /** Sends queued items, unless the stream is full or another thread is sending them. */
    void flush() {
        while (!queue.isEmpty() && ready.getAsBoolean() && sending.compareAndSet(false, true)) {
            try {
                List<T> some = some();
                if (!some.isEmpty()) {
                    send.accept(some);
                }
            } finally {
                sending.set(false);
            }
        }
    }

    private List<T> some() {
        List<T> some = new ArrayList<>();
        int bytes = 0;
        for (T next = queue.peek(); next != null; next = queue.peek()) {
            bytes += size.applyAsInt(next);
            if (!some.isEmpty() && bytes > MESSAGE_BYTES_MAX) {
                break;
            }
            some.add(queue.remove());
        }
        return some;
    }
}
