package petrichor.services.queues.rabbitmq;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.dispatch.TaskDelivery;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Delivers the tasks of notices to apps: claims a task from its owner, delivers it, reports the
 * result, and acknowledges the notice last, so that another server receives the notice if this one
 * fails. RabbitMQ bounds the notices in progress by the prefetch count. Thread-safe.
 */
final class Deliverer {
    private static final System.Logger LOG = System.getLogger(Deliverer.class.getName());

    /** Before a notice is returned whose owner could not be asked. */
    private static final Duration OWNER_PAUSE = Duration.ofSeconds(1);

    /** Between attempts to reserve memory. */
    private static final Duration MEMORY_PAUSE = Duration.ofMillis(100);

    /** Attempts to report a result; afterwards the owner, or its successor, delivers again. */
    private static final int REPORTS_MAX = 30;

    private final TaskDelivery local;
    private final TaskOwners owners;
    private final MemoryBudget memory;
    private final Scheduler scheduler;
    private final ConcurrentMap<String, Running> running = new ConcurrentHashMap<>();
    private final LongAdder delivered = new LongAdder();
    private volatile boolean closed;

    /**
     * @param local delivers to apps
     * @param memory for tasks that are being delivered
     * @param scheduler runs short work, on any thread
     */
    Deliverer(TaskDelivery local, TaskOwners owners, MemoryBudget memory, Scheduler scheduler) {
        this.local = local;
        this.owners = owners;
        this.memory = memory;
        this.scheduler = scheduler;
    }

    /** A delivery in progress, with the notices that end with it. */
    private static final class Running {
        private final TaskNotice notice;
        private final List<Receipt> receipts = new ArrayList<>();
        private boolean ended;

        Running(Receipt first) {
            this.notice = first.notice();
            receipts.add(first);
        }

        /** Returns false after the end. */
        synchronized boolean attach(Receipt another) {
            return !ended && receipts.add(another);
        }

        private synchronized List<Receipt> end() {
            ended = true;
            return receipts;
        }

        void acknowledge() {
            end().forEach(Receipt::acknowledge);
        }

        void reject() {
            end().forEach(Receipt::reject);
        }
    }

    /** Does not block. */
    void received(Receipt receipt) {
        scheduler.run(() -> begin(receipt));
    }

    private void begin(Receipt receipt) {
        TaskNotice notice = receipt.notice();
        if (closed) {
            return;
        }
        if (!memory.tryReserve(notice.bytes())) {
            scheduler.runLater(() -> begin(receipt), MEMORY_PAUSE);
            return;
        }
        Running started = new Running(receipt);
        Running other = running.putIfAbsent(notice.delivery(), started);
        if (other == null) {
            claim(started);
            return;
        }
        // Its connection has ended, or the owner published a copy: the delivery continues.
        memory.release(notice.bytes());
        if (!other.attach(receipt)) {
            receipt.reject();
        }
    }

    private void claim(Running started) {
        var _ =
                called(() -> owners.claim(started.notice))
                        .whenComplete(
                                (task, failure) -> {
                                    if (failure == null) {
                                        claimed(started, task);
                                    } else {
                                        unclaimed(started, failure);
                                    }
                                });
    }

    private void unclaimed(Running started, Throwable failure) {
        LOG.log(
                Level.DEBUG,
                "A task of {0} could not be claimed: {1}",
                started.notice.project(),
                failure);
        scheduler.runLater(
                () -> {
                    release(started);
                    started.reject();
                },
                OWNER_PAUSE);
    }

    private void claimed(Running started, Optional<Delivery> task) {
        if (closed) {
            release(started);
        } else if (task.isEmpty()) {
            release(started);
            started.acknowledge();
        } else {
            var _ =
                    called(() -> local.deliver(task.get()))
                            .whenComplete(
                                    (result, broken) ->
                                            ended(
                                                    started,
                                                    result == null
                                                            ? new DeliveryResult.Unanswered(
                                                                    String.valueOf(broken))
                                                            : result));
        }
    }

    private void ended(Running started, DeliveryResult result) {
        if (closed && result instanceof DeliveryResult.Unanswered) {
            // The end of this server is not a failure of the task: another server receives it.
            release(started);
            return;
        }
        delivered.increment();
        report(started, result, 1);
    }

    private void report(Running started, DeliveryResult result, int attempt) {
        TaskNotice notice = started.notice;
        var _ =
                called(() -> owners.ended(notice.project(), notice.delivery(), result))
                        .whenComplete((_, failure) -> reported(started, result, attempt, failure));
    }

    private void reported(
            Running started, DeliveryResult result, int attempt, @Nullable Throwable failure) {
        if (failure == null) {
            release(started);
            started.acknowledge();
        } else if (attempt < REPORTS_MAX && !closed) {
            scheduler.runLater(() -> report(started, result, attempt + 1), OWNER_PAUSE);
        } else {
            LOG.log(
                    Level.WARNING,
                    "The result of a task of {0} could not be reported, so the task runs again:"
                            + " {1}",
                    started.notice.project(),
                    failure.getMessage());
            release(started);
            started.reject();
        }
    }

    private void release(Running started) {
        running.remove(started.notice.delivery(), started);
        memory.release(started.notice.bytes());
    }

    /** Since the start. */
    long delivered() {
        return delivered.sum();
    }

    /** No further delivery starts. */
    void close() {
        closed = true;
    }

    private interface Call<T> {
        CompletableFuture<T> start();
    }

    private static <T> CompletableFuture<T> called(Call<T> call) {
        try {
            return call.start();
        } catch (RuntimeException failed) {
            return CompletableFuture.failedFuture(failed);
        }
    }
}
