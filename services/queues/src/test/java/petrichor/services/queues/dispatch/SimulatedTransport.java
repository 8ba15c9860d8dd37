package petrichor.services.queues.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import petrichor.base.MemoryBudget;
import petrichor.services.queues.SimulatedClock;
import petrichor.services.queues.rabbitmq.RabbitMqBroker;
import petrichor.services.queues.rabbitmq.RabbitMqCounts;
import petrichor.services.queues.rabbitmq.RabbitMqDelivery;
import petrichor.services.queues.rabbitmq.TaskNotice;
import petrichor.services.queues.rabbitmq.TaskOwners;
import petrichor.testing.process.Pause;

/**
 * What is between the simulated servers and the app: nothing, or a real RabbitMQ. The server that
 * joined last owns the project.
 */
final class SimulatedTransport implements AutoCloseable {
    private final Transport kind;
    private final SimulatedClock clock;
    private final RandomGenerator chance;
    private final CurrentOwner owner = new CurrentOwner();
    private final List<Joined> all = new ArrayList<>();

    SimulatedTransport(Transport kind, SimulatedClock clock, RandomGenerator chance) {
        this.kind = kind;
        this.clock = clock;
        this.chance = chance;
    }

    /**
     * The deliveries of one server.
     *
     * @param end does nothing if nothing is connected
     */
    record Joined(TaskDelivery delivery, Runnable end) implements AutoCloseable {
        @Override
        public void close() {
            end.run();
        }
    }

    Joined join(TaskDelivery app, int deliveriesMax) {
        Joined joined =
                switch (kind) {
                    case DIRECT -> new Joined(app, () -> {});
                    case RABBITMQ -> throughRabbitMq(app, deliveriesMax);
                };
        all.add(joined);
        return joined;
    }

    private Joined throughRabbitMq(TaskDelivery app, int deliveriesMax) {
        RabbitMqDelivery delivery =
                new RabbitMqDelivery(
                        RabbitMqBroker.of(SharedRabbitMq.url()),
                        app,
                        owner::becomes,
                        deliveriesMax,
                        MemoryBudget.unlimited(),
                        clock,
                        clock,
                        chance);
        delivery.start();
        while (!delivery.accepting()) {
            Pause.briefly();
        }
        clock.waitFor(() -> busy(delivery.counts()));
        return new Joined(
                delivery,
                () -> {
                    clock.waitFor(() -> false);
                    delivery.close();
                });
    }

    private static boolean busy(RabbitMqCounts counts) {
        return counts.waiting() > 0 || counts.unconfirmed() > 0;
    }

    /** Servers that have lost the project ask its present owner. */
    private static final class CurrentOwner implements TaskOwners {
        private TaskOwners present = this;

        TaskOwners becomes(TaskOwners other) {
            present = other;
            return this;
        }

        @Override
        public CompletableFuture<Optional<Delivery>> claim(TaskNotice notice) {
            return present.claim(notice);
        }

        @Override
        public CompletableFuture<Void> ended(
                String project, String delivery, DeliveryResult result) {
            return present.ended(project, delivery, result);
        }
    }

    @Override
    public void close() {
        all.forEach(Joined::close);
    }
}
