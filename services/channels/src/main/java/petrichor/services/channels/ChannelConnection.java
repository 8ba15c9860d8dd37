package petrichor.services.channels;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.services.channels.ChannelOwner.Delivery;
import petrichor.services.channels.ChannelOwner.End;
import petrichor.services.channels.ChannelOwner.Receipt;

/**
 * A connection of a browser to this server. One thread takes its messages with {@link #next} and
 * closes it. Thread-safe.
 */
public final class ChannelConnection {
    private final String id;
    private final ChannelToken token;
    private final ProjectConnections project;
    private final MemoryBudget memory;
    private final TimeSource time;
    private final Consumer<ChannelConnection> onClose;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Arrived> arrived = new ArrayDeque<>();

    /** The message that is being written; null if there is none. */
    private @Nullable Arrived taken;

    private @Nullable End end;
    private boolean closed;

    /** Registration of the owner that knows this connection; 0 before the first one. */
    private volatile long registration;

    private long lastArrived;
    private long lastWritten;

    /** A message was refused: everything is, until the owner sends again. */
    private boolean refusing;

    private record Arrived(long registration, long sequence, byte[] message) {}

    /** What {@link #next} returns. */
    public sealed interface Event {
        /**
         * A message of the app, which counts as written with the following call of {@link #next}.
         *
         * @param text UTF-8; must not be changed
         */
        record Message(byte[] text) implements Event {}

        /** Nothing happened for some time. */
        record Idle() implements Event {}

        /** There are no further messages. */
        record Ended(End reason) implements Event {}
    }

    ChannelConnection(
            String id,
            ChannelToken token,
            ProjectConnections project,
            MemoryBudget memory,
            TimeSource time,
            Consumer<ChannelConnection> onClose) {
        this.id = id;
        this.token = token;
        this.project = project;
        this.memory = memory;
        this.time = time;
        this.onClose = onClose;
    }

    String id() {
        return id;
    }

    ChannelToken token() {
        return token;
    }

    /**
     * Waits for the next event. The message of the previous call has been written.
     *
     * @param idle returns {@link Event.Idle} after this time
     */
    public Event next(Duration idle) {
        writeReceipt();
        lock.lock();
        try {
            long left = idle.toNanos();
            while (true) {
                End ended = endLocked();
                if (ended != null) {
                    return new Event.Ended(ended);
                }
                Arrived next = arrived.poll();
                if (next != null) {
                    taken = next;
                    return new Event.Message(next.message());
                }
                if (left <= 0) {
                    return new Event.Idle();
                }
                long untilExpiry =
                        TimeUnit.MICROSECONDS.toNanos(token.expiresMicros() - time.epochMicros());
                long wait = Math.min(left, Math.max(1, untilExpiry));
                left -= wait - changed.awaitNanos(wait);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return new Event.Ended(End.STOPPING);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable End endLocked() {
        if (end == null && time.epochMicros() >= token.expiresMicros()) {
            end = End.EXPIRED;
        }
        return end;
    }

    /** Calls the project without the lock, because the project's lock comes first. */
    private void writeReceipt() {
        Arrived written;
        lock.lock();
        try {
            written = taken;
            if (written == null) {
                return;
            }
            taken = null;
            memory.release(ClientChannel.cost(written.message()));
            if (written.registration() != registration) {
                return;
            }
            lastWritten = written.sequence();
        } finally {
            lock.unlock();
        }
        project.written(new Receipt(id, written.sequence(), -1), written.registration());
    }

    /** The browser has disconnected: {@link #next} returns soon. */
    public void disconnected() {
        end(End.DISCONNECTED);
    }

    void end(End reason) {
        lock.lock();
        try {
            if (end == null) {
                end = reason;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the connection; messages that were not written are sent to the client's next one.
     * Idempotent.
     *
     * @param left the browser closed the connection properly, and will not come back
     */
    public void close(boolean left) {
        End reason;
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (end == null) {
                end = End.DISCONNECTED;
            }
            reason = end;
            if (taken != null) {
                arrived.addFirst(taken);
                taken = null;
            }
            for (Arrived unsent : arrived) {
                memory.release(ClientChannel.cost(unsent.message()));
            }
            arrived.clear();
        } finally {
            lock.unlock();
        }
        project.closed(this, left || reason == End.EXPIRED);
        onClose.accept(this);
    }

    // ---- the owner's side

    long registration() {
        return registration;
    }

    /** A new owner knows the connection; sequences start again. */
    void registered(long by) {
        lock.lock();
        try {
            registeredLocked(by);
        } finally {
            lock.unlock();
        }
    }

    private void registeredLocked(long by) {
        if (registration != by) {
            registration = by;
            lastArrived = 0;
            lastWritten = 0;
            refusing = false;
        }
    }

    /** Null if the message was accepted; otherwise what the owner must send again. */
    @Nullable Receipt arrive(long by, Delivery delivery) {
        lock.lock();
        try {
            registeredLocked(by);
            if (closed) {
                return null;
            }
            if (delivery.restarted()) {
                refusing = false;
            }
            if (refusing || delivery.sequence() <= lastArrived) {
                return null;
            }
            if (!memory.tryReserve(ClientChannel.cost(delivery.message()))) {
                refusing = true;
                return new Receipt(id, lastWritten, lastArrived);
            }
            lastArrived = delivery.sequence();
            arrived.add(new Arrived(by, delivery.sequence(), delivery.message()));
            changed.signalAll();
            return null;
        } finally {
            lock.unlock();
        }
    }
}
