package petrichor.server.backups;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityDatabases;
import petrichor.movement.backups.DatabaseRows;
import petrichor.movement.backups.RowsOwner;
import petrichor.rpc.CallFailure;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.Rpc;
import petrichor.rpc.v1.RowsRequest;
import petrichor.rpc.v1.RowsResponse;
import petrichor.transactions.NotSequencedHere;

/**
 * Executes requests of backups and restores at the owners of the databases, each on a virtual
 * thread. Thread-safe.
 */
public final class RowsService implements RoutedService, RowsOwner {
    /** A batch of a restore may wait for other commits; an index may have to be built. */
    private static final long CALL_MAX_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Supplier<EntityDatabases> databases;
    private final Rpc rpc;

    /**
     * @param databases those that this server owns
     */
    public RowsService(Supplier<EntityDatabases> databases, Rpc rpc) {
        this.databases = databases;
        this.rpc = rpc;
        rpc.register(this);
    }

    @Override
    public String name() {
        return RowsCall.SERVICE;
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(RowsCall.METHOD)) {
            throw RoutedService.unknown(call.method());
        }
        try {
            return call(RowsRequest.parseFrom(call.body()), call.cancellation());
        } catch (InvalidProtocolBufferException malformed) {
            throw malformed(malformed);
        }
    }

    static PetrichorException malformed(InvalidProtocolBufferException cause) {
        return PetrichorException.of(
                ErrorCode.INVALID_ARGUMENT,
                cause,
                "A request for stored rows is malformed; do client and server run the same"
                        + " version?");
    }

    private RowsCall call(RowsRequest request, Cancellation cancellation) {
        return new RowsCall(request, () -> start(request), cancellation);
    }

    // every failure becomes the caller's response; otherwise the caller would wait
    @SuppressWarnings("CatchThrowable")
    private CompletableFuture<byte[]> start(RowsRequest request) {
        CompletableFuture<byte[]> answer = new CompletableFuture<>();
        Thread.ofVirtual()
                .name("rows")
                .start(
                        () -> {
                            try {
                                answer.complete(executed(request).toByteArray());
                            } catch (Throwable failed) {
                                answer.completeExceptionally(failed);
                            }
                        });
        return answer;
    }

    @Override
    public RowsResponse ask(RowsRequest request) {
        try {
            return RowsResponse.parseFrom(
                    rpc.routing().call(call(request, Cancellation.after(CALL_MAX_NANOS))).join());
        } catch (CompletionException failed) {
            if (CallFailure.cause(failed) instanceof RuntimeException cause) {
                throw cause;
            }
            throw failed;
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, malformed, "The owner sent a malformed answer.");
        }
    }

    private RowsResponse executed(RowsRequest request) {
        String name = request.getDatabase();
        int slash = name.indexOf('/');
        EntityDatabase database =
                slash < 0
                        ? databases.get().open(name, "")
                        : databases.get().open(name.substring(0, slash), name.substring(slash + 1));
        if (!database.rows().sequencedHere()) {
            throw new NotSequencedHere(name);
        }
        return new DatabaseRows(database).ask(request);
    }
}
