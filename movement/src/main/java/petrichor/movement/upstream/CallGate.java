package petrichor.movement.upstream;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Holds calls during a switch: first those that begin transactions, so that open ones can end, then
 * all that write. Held calls wait and are answered by the side that leads afterwards. Thread-safe;
 * waiting calls block virtual threads.
 */
final class CallGate {
    /** A switch that takes longer is abandoned. */
    static final Duration HOLD_MAX = Duration.ofSeconds(10);

    /** What a call does; each kind is held together with those before it. */
    enum Kind {
        BEGIN,
        WRITE
    }

    private enum Held {
        NOTHING,
        BEGINS,
        WRITES
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Held held = Held.NOTHING;
    private int inside;

    /** Waits while calls of this kind are held. Each call that enters must leave. */
    void enter(Kind kind, Cancellation cancellation) {
        long end = System.nanoTime() + HOLD_MAX.multipliedBy(2).toNanos();
        lock.lock();
        try {
            while (holds(kind)) {
                cancellation.check();
                long left = Math.min(end - System.nanoTime(), cancellation.remainingNanos());
                if (left <= 0 || (changed.awaitNanos(left) <= 0 && holds(kind))) {
                    cancellation.check();
                    throw PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "The database is being switched between the upstream and this server;"
                                    + " try again.");
                }
            }
            inside++;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        } finally {
            lock.unlock();
        }
    }

    private boolean holds(Kind kind) {
        return switch (held) {
            case NOTHING -> false;
            case BEGINS -> kind == Kind.BEGIN;
            case WRITES -> true;
        };
    }

    void leave() {
        lock.lock();
        try {
            inside--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void holdBegins() {
        hold(Held.BEGINS);
    }

    void holdWrites() {
        hold(Held.WRITES);
    }

    void open() {
        hold(Held.NOTHING);
    }

    private void hold(Held next) {
        lock.lock();
        try {
            held = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until no call is inside; false if that takes longer. */
    boolean awaitEmpty(Duration most) {
        long left = most.toNanos();
        lock.lock();
        try {
            while (inside > 0) {
                if (left <= 0) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a condition that calls which leave may make true; false if it takes longer. */
    boolean await(BooleanSupplier condition, Duration most) {
        long end = System.nanoTime() + most.toNanos();
        lock.lock();
        try {
            while (!condition.getAsBoolean()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                var _ =
                        changed.await(
                                Math.min(left, TimeUnit.MILLISECONDS.toNanos(10)),
                                TimeUnit.NANOSECONDS);
            }
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }
}
