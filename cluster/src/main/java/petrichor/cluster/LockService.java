package petrichor.cluster;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.v1.RowLocksRequest;
import petrichor.rpc.v1.RowLocksResponse;
import petrichor.transactions.LockResult;
import petrichor.transactions.LockStrength;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/**
 * Keeps the row locks of transactions on other servers, on the databases of this server. Each such
 * transaction has a <em>holder</em> here: a transaction that reads and writes nothing until the
 * commit, counts among the open ones, takes part in the detection of deadlocks, and expires when it
 * is idle, so that the locks of a server that has stopped are released. Runs each request on a
 * virtual thread, which may wait for the lock.
 */
final class LockService implements RoutedService {
    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("routed-lock").start(task);

    private final ClusterDatabases databases;

    LockService(ClusterDatabases databases) {
        this.databases = databases;
    }

    @Override
    public String name() {
        return LockCall.SERVICE;
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(LockCall.METHOD)) {
            throw RoutedService.unknown(call.method());
        }
        try {
            RowLocksRequest request = RowLocksRequest.parseFrom(call.body());
            return new LockCall(
                    request,
                    () -> executed(request, call.cancellation()),
                    call.cancellation(),
                    _ -> {});
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    malformed,
                    "another server sent a malformed request for a row lock; do all servers run"
                            + " the same version?");
        }
    }

    /** Fails with {@link petrichor.base.NotOwner} if this server is not the owner. */
    CompletableFuture<byte[]> executed(RowLocksRequest request, Cancellation cancellation) {
        return CompletableFuture.supplyAsync(
                () -> {
                    RowLocksResponse[] response = new RowLocksResponse[1];
                    cancellation.run(() -> response[0] = execute(request));
                    return response[0].toByteArray();
                },
                VIRTUAL);
    }

    private RowLocksResponse execute(RowLocksRequest request) {
        LeasedDatabase database = databases.owned(request.getDatabase());
        return switch (request.getActionCase()) {
            case LOCK -> lock(database, request);
            case KEEP -> {
                Transaction _ = holder(database, request.getHolder());
                yield RowLocksResponse.getDefaultInstance();
            }
            case RELEASE -> {
                database.rollback(id(request.getHolder()));
                yield RowLocksResponse.getDefaultInstance();
            }
            case ACTION_NOT_SET ->
                    throw PetrichorException.invalid("a request for a row lock without an action");
        };
    }

    private static RowLocksResponse lock(LeasedDatabase database, RowLocksRequest request) {
        boolean first = !request.hasHolder();
        Transaction holder;
        try {
            holder =
                    first
                            ? database.begin(new TransactionOptions.Optimistic(null))
                            : holder(database, request.getHolder());
        } catch (PetrichorException gone) {
            if (first || gone.code() != ErrorCode.ABORTED) {
                throw gone;
            }
            return RowLocksResponse.newBuilder().setResult(LockResult.ENDED.name()).build();
        }
        LockStrength strength =
                request.getLock().getExclusive() ? LockStrength.EXCLUSIVE : LockStrength.SHARED;
        LockResult result =
                holder.lock(
                                request.getLock().getKey().toByteArray(),
                                strength,
                                Duration.ofMillis(request.getLock().getWaitMillis()))
                        .join();
        Cancellation caller = Cancellation.current();
        if (first && caller != null && caller.isCancelled()) {
            // The caller may never learn of this holder, and so cannot release its lock.
            holder.rollback();
            return RowLocksResponse.newBuilder().setResult(LockResult.NOT_AVAILABLE.name()).build();
        }
        return RowLocksResponse.newBuilder()
                .setResult(result.name())
                .setHolder(ByteString.copyFrom(holder.id().toBytes()))
                .build();
    }

    /** ABORTED if it has expired, or if the database has moved. */
    static Transaction holder(LeasedDatabase database, ByteString holder) {
        try {
            return database.transaction(id(holder));
        } catch (PetrichorException ended) {
            if (ended.code() != ErrorCode.INVALID_ARGUMENT && ended.code() != ErrorCode.ABORTED) {
                throw ended;
            }
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    ended,
                    "The owner of the database no longer has the row locks of the transaction: it"
                            + " was idle for too long, or the database has moved. Retry the whole"
                            + " transaction.");
        }
    }

    private static TransactionId id(ByteString holder) {
        return TransactionId.parse(holder.toByteArray())
                .orElseThrow(() -> PetrichorException.invalid("a malformed holder of row locks"));
    }
}
