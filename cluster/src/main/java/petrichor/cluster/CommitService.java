package petrichor.cluster;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;
import petrichor.rpc.v1.RoutedCommitRequest;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionOptions;

/**
 * Executes commits that other servers prepared, on the databases of this server. Runs each on a
 * virtual thread, since it may have to open the database first.
 */
final class CommitService implements RoutedService {
    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("routed-commit").start(task);

    private final ClusterDatabases databases;

    CommitService(ClusterDatabases databases) {
        this.databases = databases;
    }

    @Override
    public String name() {
        return CommitCall.SERVICE;
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(CommitCall.METHOD)) {
            throw RoutedService.unknown(call.method());
        }
        try {
            RoutedCommitRequest commit = RoutedCommitRequest.parseFrom(call.body());
            return new CommitCall(commit, () -> executed(commit), call.cancellation());
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    malformed,
                    "another server sent a malformed commit; do all servers run the same version?");
        }
    }

    /** Fails with {@link petrichor.base.NotOwner} if this server is not the owner. */
    @SuppressWarnings("FutureReturnValueIgnored") // the inner future is composed
    CompletableFuture<byte[]> executed(RoutedCommitRequest commit) {
        return CompletableFuture.supplyAsync(
                        () -> submitted(databases.owned(commit.getDatabase()), commit), VIRTUAL)
                .thenCompose(result -> result)
                .thenApply(CommitMessages::encode);
    }

    private static CompletableFuture<CommitResult> submitted(
            LeasedDatabase database, RoutedCommitRequest commit) {
        CommitRequest request = CommitMessages.decode(commit);
        if (!commit.hasHolder() && commit.getOtherReadsCount() == 0) {
            return database.commit(request);
        }
        try {
            Transaction holder =
                    commit.hasHolder()
                            ? LockService.holder(database, commit.getHolder())
                            : database.begin(new TransactionOptions.Optimistic(null));
            return holder.commitFor(
                    commit.getOtherReadsList().stream().map(CommitMessages::decode).toList(),
                    request);
        } catch (PetrichorException refused) {
            if (refused.code() != ErrorCode.ABORTED) {
                throw refused;
            }
            return CompletableFuture.completedFuture(new CommitResult.Refused(refused));
        }
    }
}
