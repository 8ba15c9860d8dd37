package petrichor.jobs.channels;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a connection. Writers send their blocks themselves, one at a time. A thread
 * that must not block leaves a message with {@link #later}, which the next writer or {@link
 * #pump}'s thread sends; this holds above all for the receiving thread: if the receivers of both
 * sides waited to send, neither would receive and the connection would deadlock. Safe for any
 * thread.
 */
final class FrameOutput {
    private final OutputStream out;

    /** Fair: no channel sends twice while another waits. */
    private final ReentrantLock sending = new ReentrantLock(true);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition left = lock.newCondition();
    private final Queue<byte[]> messages = new ArrayDeque<>();

    /** Suppliers of the newest state of a channel, evaluated when the message is sent. */
    private final Set<Supplier<byte[]>> states = new LinkedHashSet<>();

    private boolean closed;

    FrameOutput(OutputStream out) {
        this.out = out;
    }

    /** Sends the message; waits for the wire and for earlier senders. */
    void send(byte[] message, int from, int length) throws IOException {
        sending.lock();
        try {
            flush();
            out.write(message, from, length);
        } finally {
            sending.unlock();
        }
    }

    /** Queues the message, in order with other queued messages; never waits. */
    void later(byte[] message) {
        lock.lock();
        try {
            messages.add(message);
            left.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Queues a message that is built when it is sent; queued several times before that, it is sent
     * once. So the number of queued messages is bounded by the number of channels.
     */
    void later(Supplier<byte[]> state) {
        lock.lock();
        try {
            states.add(state);
            left.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends the messages queued with {@link #later} until {@link #close}, and {@code whenIdle}
     * after each idle period. Occupies its thread.
     */
    void pump(long idleNanos, byte[] whenIdle) throws IOException, InterruptedException {
        while (true) {
            boolean something = awaitSomething(idleNanos);
            if (closed()) {
                return;
            }
            sending.lock();
            try {
                if (!something) {
                    out.write(whenIdle);
                }
                flush();
            } finally {
                sending.unlock();
            }
        }
    }

    private boolean awaitSomething(long idleNanos) throws InterruptedException {
        lock.lock();
        try {
            long wait = idleNanos;
            while (messages.isEmpty() && states.isEmpty() && !closed && wait > 0) {
                wait = left.awaitNanos(wait);
            }
            return !messages.isEmpty() || !states.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    private void flush() throws IOException {
        for (byte[] message = oldest(); message != null; message = oldest()) {
            out.write(message);
        }
    }

    private byte @Nullable [] oldest() {
        Supplier<byte[]> state;
        lock.lock();
        try {
            byte[] message = messages.poll();
            if (message != null) {
                return message;
            }
            if (states.isEmpty()) {
                return null;
            }
            state = states.iterator().next();
            states.remove(state);
        } finally {
            lock.unlock();
        }
        return state.get();
    }

    private boolean closed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Waits up to {@code nanosMax} until everything queued has been sent. */
    void drain(long nanosMax) throws IOException {
        boolean free;
        try {
            free = sending.tryLock(nanosMax, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (free) {
            try {
                flush();
            } finally {
                sending.unlock();
            }
        }
    }

    /** Ends {@link #pump}. */
    void close() {
        lock.lock();
        try {
            closed = true;
            left.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
