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
 * The way out of a connection. Writers send their blocks themselves, in turn; whoever must not wait
 * (the thread that receives, above all: if both sides' receivers waited to send, neither would
 * receive) leaves a message with {@link #later}, and the next writer or {@link #pump}'s thread
 * takes it along. Safe for any thread.
 */
final class FrameOutput {
    private final OutputStream out;

    /** Fair: no channel waits while another sends twice. */
    private final ReentrantLock sending = new ReentrantLock(true);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition left = lock.newCondition();
    private final Queue<byte[]> messages = new ArrayDeque<>();

    /** Channels whose newest state is to be told; asked for it only when it goes. */
    private final Set<Supplier<byte[]>> states = new LinkedHashSet<>();

    private boolean closed;

    FrameOutput(OutputStream out) {
        this.out = out;
    }

    /** Sends now; waits for the wire and for those who came before. */
    void send(byte[] message, int from, int length) throws IOException {
        sending.lock();
        try {
            flush();
            out.write(message, from, length);
        } finally {
            sending.unlock();
        }
    }

    /** Sends soon, in order with other such messages; never waits. */
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
     * Sends soon what this says then; asked often before that, it is sent once. So the number of
     * messages that wait is bounded by the number of channels.
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
     * Sends what is left with {@link #later} until {@link #close}, and a message of its own
     * whenever nothing was left for a while. For one thread, which it keeps.
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

    /** Waits, but not for long, until everything that was left is gone. */
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
