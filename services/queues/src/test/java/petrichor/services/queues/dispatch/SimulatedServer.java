package petrichor.services.queues.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import petrichor.base.MemoryBudget;
import petrichor.kv.KeyValueStore;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.SimulatedClock;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

/** A server of a simulation: databases and dispatchers over a store that survives it. */
final class SimulatedServer implements AutoCloseable {
    static final String PROJECT = "demo";

    private final RowDatabases databases;
    private final SimulatedTransport.Joined transport;
    final Dispatchers dispatchers;

    /** When its deliveries started, in nanoseconds of the monotonic clock. */
    final List<Long> startedNanos = new ArrayList<>();

    int running;

    /** Runs in the turn of a queue, before it reads its tasks. */
    Runnable duringTurn = () -> {};

    /** A server that has lost its databases does not open them again. */
    boolean owner = true;

    SimulatedServer(
            KeyValueStore store,
            SimulatedClock clock,
            RandomGenerator chance,
            DispatchLimits limits,
            TaskDelivery app,
            SimulatedTransport transports) {
        transport = transports.join(app, limits.deliveriesMax());
        databases =
                new RowDatabases(
                        RoutedStores.of(store), TransactionLimits.DEFAULT, clock, chance, clock);
        dispatchers =
                new Dispatchers(
                        this::owned,
                        QueueLimits.DEFAULT,
                        limits,
                        counted(clock, transport.delivery()),
                        MemoryBudget.unlimited(),
                        clock,
                        clock,
                        chance);
        dispatchers.start();
    }

    private Databases owned() {
        if (!owner) {
            throw new NotSequencedHere(PROJECT);
        }
        return databases;
    }

    private TaskDelivery counted(SimulatedClock clock, TaskDelivery delivery) {
        return new TaskDelivery() {
            @Override
            public CompletableFuture<DeliveryResult> deliver(Delivery task) {
                startedNanos.add(clock.monotonicNanos());
                running++;
                return delivery.deliver(task).whenComplete((_, _) -> running--);
            }

            @Override
            public boolean ready(String project) {
                duringTurn.run();
                return delivery.ready(project);
            }

            @Override
            public boolean accepting() {
                return delivery.accepting();
            }

            @Override
            public void abandon(String project) {
                delivery.abandon(project);
            }
        };
    }

    ProjectQueues queues() {
        return dispatchers.open(PROJECT);
    }

    Database database() {
        return databases.open(PROJECT);
    }

    /** The end of the process; the clock has dropped its work. */
    void crash() {
        transport.close();
    }

    /** An orderly end. */
    @Override
    public void close() {
        dispatchers.close();
        transport.close();
        databases.close();
    }
}
