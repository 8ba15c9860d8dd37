package petrichor.testing.crash.hostile;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.ReadOptions;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;

/** Transactions that read long keys and are never ended: five of them took 256 MiB. */
final class ReadSets implements Attack {
    private static final int TRANSACTIONS = 5;
    private static final int LOOKUPS = 24;
    private static final int KEYS = 1_000;
    private static final int NAME_BYTES = 1_400;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @Override
    public void strike(Target target) {
        ManagedChannel channel = target.channel();
        try {
            for (int i = 0; i < TRANSACTIONS; i++) {
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
                for (int lookup = 0; lookup < LOOKUPS; lookup++) {
                    var _ =
                            Target.call(
                                    channel,
                                    "Lookup",
                                    missing(transaction, lookup),
                                    LookupResponse.getDefaultInstance(),
                                    TIMEOUT);
                }
            }
        } catch (StatusRuntimeException refused) {
            return; // the budget of all transactions is exhausted
        } finally {
            channel.shutdownNow();
        }
    }

    private static LookupRequest missing(ByteString transaction, int lookup) {
        LookupRequest.Builder request =
                LookupRequest.newBuilder()
                        .setProjectId(Target.PROJECT)
                        .setReadOptions(ReadOptions.newBuilder().setTransaction(transaction));
        for (int i = 0; i < KEYS; i++) {
            Key.Builder key = Key.newBuilder();
            key.addPathBuilder()
                    .setKind("k".repeat(NAME_BYTES))
                    .setName(lookup + "-" + i + "x".repeat(NAME_BYTES));
            request.addKeys(key);
        }
        return request.build();
    }
}
