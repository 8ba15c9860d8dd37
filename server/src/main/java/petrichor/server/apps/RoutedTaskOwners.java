package petrichor.server.apps;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.http.OwnerCall;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.Rpc;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;
import petrichor.services.queues.rabbitmq.DeliveryCalls;
import petrichor.services.queues.rabbitmq.TaskNotice;
import petrichor.services.queues.rabbitmq.TaskOwners;
import petrichor.services.queues.rabbitmq.wire.DeliveryCall;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;

/**
 * Routes the claims and reports of a server that delivers tasks to the owner of their project.
 * Thread-safe.
 */
final class RoutedTaskOwners implements TaskOwners, RoutedService {
    private static final String NAME = "petrichor.tasks.v1.Deliveries";
    private static final String CALL = NAME + "/Call";
    private static final Duration CALL_MAX = Duration.ofSeconds(30);

    private final TaskOwners local;
    private final Supplier<Databases> databases;
    private final Rpc rpc;

    /**
     * @param local the projects that this server owns
     */
    RoutedTaskOwners(TaskOwners local, Supplier<Databases> databases, Rpc rpc) {
        this.local = local;
        this.databases = databases;
        this.rpc = rpc;
        rpc.register(this);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(CALL)) {
            throw RoutedService.unknown(call.method());
        }
        return owned(DeliveryCalls.decode(call.body()), call.cancellation());
    }

    @Override
    public CompletableFuture<Optional<Delivery>> claim(TaskNotice notice) {
        return call(DeliveryCalls.claim(notice))
                .thenApply(response -> DeliveryCalls.claimed(notice.project(), response));
    }

    @Override
    public CompletableFuture<Void> ended(String project, String delivery, DeliveryResult result) {
        return call(DeliveryCalls.end(project, delivery, result)).thenAccept(_ -> {});
    }

    private CompletableFuture<byte[]> call(DeliveryCall wanted) {
        return rpc.routing().call(owned(wanted, Cancellation.after(CALL_MAX.toNanos())));
    }

    private RoutedCall owned(DeliveryCall wanted, Cancellation within) {
        return new OwnerCall(
                CALL,
                wanted.getProject(),
                wanted::toByteArray,
                within,
                OwnerCall.OWN_THREAD,
                () -> executed(wanted));
    }

    private CompletableFuture<byte[]> executed(DeliveryCall wanted) {
        String database = EntityDatabases.name(wanted.getProject(), "");
        if (!databases.get().open(database).sequencedHere()) {
            throw new NotSequencedHere(database);
        }
        return DeliveryCalls.execute(wanted, local);
    }
}
