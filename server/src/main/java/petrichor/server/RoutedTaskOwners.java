package petrichor.server;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.entities.EntityDatabases;
import petrichor.rpc.Locality;
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
        return new Call(DeliveryCalls.decode(call.body()), call.cancellation());
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
        return rpc.routing().call(new Call(wanted, Cancellation.after(CALL_MAX.toNanos())));
    }

    /** Runs on a virtual thread, because the database may have to be opened first. */
    private final class Call implements RoutedCall {
        private final DeliveryCall wanted;
        private final Cancellation within;

        Call(DeliveryCall wanted, Cancellation within) {
            this.wanted = wanted;
            this.within = within;
        }

        @Override
        public String method() {
            return CALL;
        }

        @Override
        public String database() {
            return EntityDatabases.name(wanted.getProject(), "");
        }

        @Override
        public Locality locality() {
            return Locality.OWNER;
        }

        @Override
        public byte[] body() {
            return wanted.toByteArray();
        }

        @Override
        public Cancellation cancellation() {
            return within;
        }

        @Override
        public CompletableFuture<byte[]> execute() {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            Thread.ofVirtual().name("task-delivery-call").start(() -> run(answer));
            return answer;
        }

        // every failure becomes the caller's; otherwise it would wait
        @SuppressWarnings("CatchThrowable")
        private void run(CompletableFuture<byte[]> answer) {
            try {
                if (!databases.get().open(database()).sequencedHere()) {
                    throw new NotSequencedHere(database());
                }
                var _ =
                        DeliveryCalls.execute(wanted, local)
                                .whenComplete(
                                        (message, failure) -> {
                                            if (failure == null) {
                                                answer.complete(message);
                                            } else {
                                                answer.completeExceptionally(failure);
                                            }
                                        });
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        }
    }
}
