package petrichor.testing.crash.hostile;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A transaction locks an entity and is never ended, while hundreds of puts wait for it: they once
 * occupied all threads for writes.
 */
final class LockedPuts implements Attack {
    private static final int PUTS = 500;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @Override
    public void strike(Target target) throws Exception {
        ManagedChannel channel = target.channel();
        try {
            lock(channel);
            for (int i = 0; i < PUTS; i++) {
                var _ =
                        ClientCalls.futureUnaryCall(
                                channel.newCall(
                                        Target.descriptor(
                                                "Commit",
                                                put(i),
                                                CommitResponse.getDefaultInstance()),
                                        CallOptions.DEFAULT.withDeadlineAfter(
                                                TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)),
                                put(i));
            }
            channel.shutdown().awaitTermination(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (StatusRuntimeException refused) {
            return; // an earlier strike holds the lock
        } finally {
            channel.shutdownNow();
        }
    }

    private static void lock(ManagedChannel channel) {
        ByteString transaction =
                Target.call(
                                channel,
                                "BeginTransaction",
                                BeginTransactionRequest.newBuilder()
                                        .setProjectId(Target.PROJECT)
                                        .build(),
                                BeginTransactionResponse.getDefaultInstance(),
                                TIMEOUT)
                        .getTransaction();
        var _ =
                Target.call(
                        channel,
                        "Lookup",
                        LookupRequest.newBuilder()
                                .setProjectId(Target.PROJECT)
                                .setReadOptions(
                                        ReadOptions.newBuilder().setTransaction(transaction))
                                .addKeys(key())
                                .build(),
                        LookupResponse.getDefaultInstance(),
                        TIMEOUT);
    }

    private static CommitRequest put(int round) {
        Entity.Builder entity = Entity.newBuilder().setKey(key());
        entity.putPropertiesBuilderIfAbsent("round").setIntegerValue(round);
        return CommitRequest.newBuilder()
                .setProjectId(Target.PROJECT)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(Mutation.newBuilder().setUpsert(entity))
                .build();
    }

    private static Key key() {
        Key.Builder key = Key.newBuilder();
        key.addPathBuilder().setKind("Locked").setName("only");
        return key.build();
    }
}
