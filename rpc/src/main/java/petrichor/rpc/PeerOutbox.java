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
 * Batches what many threads send on one stream: what is added while a message is being written goes
 * with the next one. There is no timer, and no thread waits: the first one sends for the others.
 * Safe for any thread.
 *
 * @param <T> what is sent
 */
final class PeerOutbox<T> {
    /** Of one message; a single thing that is larger goes alone. */
    private static final int MESSAGE_BYTES_MAX = 256 << 10;

    private final ToIntFunction<T> size;
    private final BooleanSupplier ready;
    private final Consumer<List<T>> send;
    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sending = new AtomicBoolean();

    /**
     * @param size of one thing in bytes
     * @param ready whether the stream takes more now; when it does again, {@link #flush} it
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

    /** Nothing waits, and no thread is sending. */
    boolean isEmpty() {
        return queue.isEmpty() && !sending.get();
    }

    /** Sends what waits, unless the stream is full or another thread is sending it. */
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
