package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;
import static petrichor.entities.Entities.upsert;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;

@Timeout(120)
class PessimisticTransactionsTest {
    private static final Key KEY = key("Counter", "c");
    private static final int ABORTED_PER_COMMIT_MAX = 1;

    private final AtomicInteger aborted = new AtomicInteger();
    private final Entities entities =
            new Entities(MemoryStore.open(), ReadContexts.Concurrency.PESSIMISTIC);

    @AfterEach
    void close() {
        entities.close();
    }

    /**
     * Locks are handed over to the transaction that has waited longest, so that contenders repeat
     * few attempts; without that, 16 of them were ten times slower than without locks.
     */
    @Test
    void countersLoseNothingAndRepeatFewAttempts() {
        entities.put(entity(KEY, "n", 0));
        int clients = 16;
        int increments = 25;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                all.add(
                        CompletableFuture.runAsync(
                                () -> {
                                    for (int n = 0; n < increments; n++) {
                                        increment();
                                    }
                                },
                                threads));
            }
            all.forEach(CompletableFuture::join);
        }
        assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "n", clients * increments));
        assertThat(aborted.get()).isLessThan(ABORTED_PER_COMMIT_MAX * clients * increments);
    }

    private void increment() {
        ByteString previous = ByteString.EMPTY;
        while (true) {
            ByteString transaction = begin(previous);
            try {
                Entity counter = read(transaction);
                long n = counter.getPropertiesOrThrow("n").getIntegerValue();
                entities.commit(
                        CommitRequest.newBuilder()
                                .setTransaction(transaction)
                                .addMutations(upsert(entity(KEY, "n", n + 1))));
                return;
            } catch (PetrichorException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.ABORTED);
                aborted.incrementAndGet();
                previous = transaction;
            }
        }
    }

    @Test
    void aQueryInATransactionMayNeedAMissingIndex() {
        entities.put(entity(KEY, "a", 1, "b", 2));
        ByteString transaction = begin(ByteString.EMPTY);
        read(transaction);
        RunQueryRequest.Builder request = RunQueryRequest.newBuilder().setProjectId("p");
        Query.Builder query = request.getQueryBuilder();
        query.addKindBuilder().setName("Counter");
        query.addOrder(order("a", PropertyOrder.Direction.ASCENDING));
        query.addOrder(order("b", PropertyOrder.Direction.DESCENDING));
        request.setReadOptions(ReadOptions.newBuilder().setTransaction(transaction));
        assertThatThrownBy(() -> entities.datastore.runQuery(request.build()))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
        request.setReadOptions(ReadOptions.newBuilder().setTransaction(begin(transaction)));
        assertThat(entities.datastore.runQuery(request.build()).hits()).hasSize(1);
    }

    private static PropertyOrder order(String property, PropertyOrder.Direction direction) {
        PropertyOrder.Builder order = PropertyOrder.newBuilder().setDirection(direction);
        order.getPropertyBuilder().setName(property);
        return order.build();
    }

    private ByteString begin(ByteString previous) {
        BeginTransactionRequest.Builder request =
                BeginTransactionRequest.newBuilder().setProjectId("p");
        request.getTransactionOptionsBuilder()
                .getReadWriteBuilder()
                .setPreviousTransaction(previous);
        return entities.datastore.beginTransaction(request.build()).getTransaction();
    }

    private Entity read(ByteString transaction) {
        LookupRequest request =
                LookupRequest.newBuilder()
                        .setProjectId("p")
                        .addKeys(KEY)
                        .setReadOptions(ReadOptions.newBuilder().setTransaction(transaction))
                        .build();
        return Entities.parse(entities.datastore.lookup(request).found().getFirst());
    }
}
