package petrichor.services.queues.rabbitmq;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;

/**
 * A delivery for which a notice is in RabbitMQ, or on its way there. Thread-safe; the result is
 * completed by its {@link NoticeOutbox}.
 */
final class Publication {
    /** How long a notice may wait for a server before another copy is published. */
    private static final Duration WAIT = Duration.ofSeconds(30);

    /** The wait doubles with every copy, because copies do not help while all servers are busy. */
    private static final Duration WAIT_MAX = Duration.ofMinutes(10);

    /** After the deadline of the task, for the report of the server that claimed it. */
    private static final Duration REPORT = Duration.ofMinutes(1);

    private static final int COPY_DOUBLINGS_MAX = 10;

    private final String id;
    private final Delivery delivery;
    private final CompletableFuture<DeliveryResult> result = new CompletableFuture<>();

    /** Notices so far: each has its own number, so that a repeated one is recognized. */
    private int copies;

    /** The copy that a server has claimed; 0 if none has. */
    private int claimedCopy;

    /** When another copy is needed, in nanoseconds of the monotonic clock. */
    private long dueNanos = Long.MAX_VALUE;

    Publication(String id, Delivery delivery) {
        this.id = id;
        this.delivery = delivery;
    }

    String id() {
        return id;
    }

    String project() {
        return delivery.project();
    }

    Delivery delivery() {
        return delivery;
    }

    CompletableFuture<DeliveryResult> result() {
        return result;
    }

    /** The next notice, to be published once. */
    synchronized TaskNotice nextNotice(long nowNanos) {
        if (claimedCopy == 0) {
            long wait = WAIT.toNanos() << Math.min(copies, COPY_DOUBLINGS_MAX);
            dueNanos = nowNanos + Math.min(WAIT_MAX.toNanos(), wait);
        }
        copies++;
        return new TaskNotice(project(), id, copies, delivery.task().work().bytes());
    }

    synchronized boolean waiting() {
        return claimedCopy == 0 && !result.isDone();
    }

    /**
     * Claims the task. RabbitMQ delivers a copy a second time after the server that had it closed
     * its connection, so that copy can be claimed again; others are out of date.
     */
    synchronized boolean claim(int claiming, long nowNanos) {
        if (result.isDone() || (claimedCopy != 0 && claimedCopy != claiming)) {
            return false;
        }
        claimedCopy = claiming;
        dueNanos = nowNanos + delivery.task().content().deadline().toNanos() + REPORT.toNanos();
        return true;
    }

    /** Whether another copy is to be published now, because a notice or a report was lost. */
    synchronized boolean renew(long nowNanos) {
        if (result.isDone() || nowNanos < dueNanos) {
            return false;
        }
        claimedCopy = 0;
        dueNanos = Long.MAX_VALUE;
        return true;
    }

    /**
     * Notices that were published are lost. Unless a server has claimed one, the next {@link
     * #renew} asks for another.
     */
    synchronized void lost(long nowNanos) {
        if (claimedCopy == 0 && dueNanos != Long.MAX_VALUE) {
            dueNanos = nowNanos;
        }
    }
}
