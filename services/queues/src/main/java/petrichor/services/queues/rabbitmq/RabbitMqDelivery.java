package petrichor.services.queues.rabbitmq;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.dispatch.TaskDelivery;
import petrichor.transactions.scheduling.Scheduler;

/**
 * Delivers the tasks of this server's projects through RabbitMQ, on any server of the cluster, and
 * those of all projects that RabbitMQ gives to this server. While RabbitMQ is unreachable, tasks
 * stay in their queues. Thread-safe.
 */
public final class RabbitMqDelivery implements TaskDelivery, AutoCloseable {
    /** Between checks for notices that were lost. */
    private static final Duration SWEEP = Duration.ofSeconds(1);

    /** Of the protocol. */
    private static final int PREFETCH_MAX = 65_535;

    private final TaskDelivery local;
    private final NoticeOutbox outbox;
    private final Deliverer deliverer;
    private final RabbitMqLink link;
    private final Scheduler scheduler;
    private Scheduler.@Nullable Chore sweep;

    /**
     * @param local delivers to apps on this server
     * @param owners routes calls to the owner of a project; receives the owner of this server
     * @param deliveriesMax on this server at one time
     * @param memory for the tasks that are being delivered
     * @param scheduler runs short work
     * @param random distinguishes this process from all others
     */
    public RabbitMqDelivery(
            RabbitMqBroker broker,
            TaskDelivery local,
            UnaryOperator<TaskOwners> owners,
            int deliveriesMax,
            MemoryBudget memory,
            TimeSource time,
            Scheduler scheduler,
            RandomGenerator random) {
        this.local = local;
        this.scheduler = scheduler;
        this.outbox = new NoticeOutbox(time, random);
        this.deliverer = new Deliverer(local, owners.apply(outbox), memory, scheduler);
        this.link =
                new RabbitMqLink(
                        broker,
                        connection ->
                                new RabbitMqSession(
                                        connection,
                                        Math.min(deliveriesMax, PREFETCH_MAX),
                                        outbox,
                                        deliverer,
                                        time));
    }

    /** Begins to connect, and to deliver tasks. */
    public synchronized void start() {
        if (sweep == null) {
            sweep = scheduler.repeat(outbox::sweep, SWEEP);
            link.start();
        }
    }

    @Override
    public CompletableFuture<DeliveryResult> deliver(Delivery delivery) {
        return outbox.add(delivery);
    }

    @Override
    public boolean ready(String project) {
        return local.ready(project);
    }

    @Override
    public boolean accepting() {
        return outbox.accepting();
    }

    @Override
    public void abandon(String project) {
        outbox.abandon(project);
    }

    public RabbitMqCounts counts() {
        return outbox.counts(deliverer.delivered());
    }

    /** Deliveries in progress continue, but their results are not recorded. */
    @Override
    public void close() {
        synchronized (this) {
            if (sweep != null) {
                sweep.close();
            }
        }
        deliverer.close();
        link.close();
    }
}
