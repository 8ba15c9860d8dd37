package petrichor.frontends.appengine.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.frontends.appengine.datastore.V3App.entity;
import static petrichor.frontends.appengine.datastore.V3App.key;
import static petrichor.frontends.appengine.datastore.V3Failures.fails;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddRequest;
import com.google.apphosting.base.protos.api.ApiBasePb.VoidProto;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.BeginTransactionRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.BeginTransactionRequest.TransactionMode;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CommitResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Error.ErrorCode;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.protobuf.ByteString;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Reference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceError;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/** Transactions, whose writes arrive before the commit. */
class DatastoreV3TransactionsTest {
    private static final Reference KEY = key("Account", 1);
    private static final byte[] TASK = "Q/task".getBytes(StandardCharsets.UTF_8);
    private static final long MEMORY_BYTES = 100_000;

    private final AtomicLong passedNanos = new AtomicLong();
    private final AtomicInteger committed = new AtomicInteger();
    private final MemoryBudget memory = MemoryBudget.of("writes", MEMORY_BYTES);
    private final V3App app = new V3App(this::prepare, memory, new ForwardedTime());

    /** The machine's clock, which tests put forward. */
    private final class ForwardedTime implements TimeSource {
        @Override
        public long epochMicros() {
            return TimeSource.SYSTEM.epochMicros();
        }

        @Override
        public long monotonicNanos() {
            return TimeSource.SYSTEM.monotonicNanos() + passedNanos.get();
        }
    }

    private TransactionalWork prepare(CallingApp caller, TaskQueueBulkAddRequest tasks) {
        assertThat(tasks.getAddRequestList()).noneMatch(TaskQueueAddRequest::hasTransaction);
        return work(tasks.getAddRequest(0).getBody().toStringUtf8());
    }

    private TransactionalWork work(String value) {
        return new TransactionalWork(
                List.of(new RowWrite(TASK, value.getBytes(StandardCharsets.UTF_8), null)),
                committed::incrementAndGet);
    }

    @AfterEach
    void close() {
        app.close();
    }

    @Test
    void writesTakeEffectAtTheCommit() {
        Transaction transaction = app.begin();
        app.put(transaction, entity(KEY, "n", 1));
        app.put(transaction, entity(key("Account", 2), "n", 2));
        assertThat(app.exists(KEY)).isFalse();
        assertThat(app.get(transaction, KEY).getEntity(0).hasEntity()).isFalse();
        CommitResponse response = app.commit(transaction);
        assertThat(response.getVersionList())
                .extracting(CommitResponse.Version::getRootEntityKey)
                .containsExactly(KEY, key("Account", 2));
        assertThat(app.find(KEY)).isEqualTo(entity(KEY, "n", 1));
    }

    @Test
    void aPutInATransactionAllocatesTheId() {
        Transaction transaction = app.begin();
        Reference allocated = app.put(transaction, entity(key("A"))).getKey(0);
        app.commit(transaction);
        assertThat(app.exists(allocated)).isTrue();
    }

    @Test
    void theLastWriteOfAnEntityCounts() {
        app.put(entity(KEY, "n", 0));
        Transaction transaction = app.begin();
        app.put(transaction, entity(KEY, "n", 1));
        app.delete(transaction, KEY);
        app.commit(transaction);
        assertThat(app.exists(KEY)).isFalse();
        Transaction other = app.begin();
        app.delete(other, KEY);
        app.put(other, entity(KEY, "n", 2));
        app.commit(other);
        assertThat(app.find(KEY)).isEqualTo(entity(KEY, "n", 2));
    }

    @Test
    void aConflictIsAConcurrentTransaction() {
        Transaction transaction = app.begin();
        var _ = app.get(transaction, KEY);
        app.put(transaction, entity(KEY, "n", 1));
        app.put(entity(KEY, "n", 2));
        fails(ErrorCode.CONCURRENT_TRANSACTION, "contention", () -> app.commit(transaction));
        assertThat(app.find(KEY)).isEqualTo(entity(KEY, "n", 2));
        assertThat(memory.bytesUsed()).isZero();
    }

    @Test
    void aRetryNamesTheTransactionBefore() {
        Transaction lost = app.begin();
        var _ = app.get(lost, KEY);
        app.put(lost, entity(KEY, "n", 1));
        app.put(entity(KEY, "n", 2));
        fails(ErrorCode.CONCURRENT_TRANSACTION, "", () -> app.commit(lost));
        Transaction retry =
                app.call(
                        "BeginTransaction",
                        BeginTransactionRequest.newBuilder()
                                .setApp(V3App.ID)
                                .setMode(TransactionMode.READ_WRITE)
                                .setPreviousTransaction(lost)
                                .build(),
                        Transaction.parser());
        app.put(retry, entity(KEY, "n", 3));
        app.commit(retry);
        assertThat(app.find(KEY)).isEqualTo(entity(KEY, "n", 3));
    }

    @Test
    void aRollbackDiscardsWritesAndMayBeRepeated() {
        Transaction transaction = app.begin();
        app.put(transaction, entity(KEY, "n", 1));
        assertThat(memory.bytesUsed()).isPositive();
        app.rollback(transaction);
        app.rollback(transaction);
        assertThat(memory.bytesUsed()).isZero();
        assertThat(app.exists(KEY)).isFalse();
        fails(ErrorCode.BAD_REQUEST, "no longer valid", () -> app.commit(transaction));
        fails(ErrorCode.BAD_REQUEST, "no longer valid", () -> app.put(transaction, entity(KEY)));
        fails(ErrorCode.BAD_REQUEST, "no longer valid", () -> app.get(transaction, KEY));
    }

    @Test
    void aReadOnlyTransactionDoesNotWrite() {
        app.put(entity(KEY, "n", 1));
        Transaction transaction = app.begin(TransactionMode.READ_ONLY);
        assertThat(app.get(transaction, KEY).getEntity(0).getEntity())
                .isEqualTo(entity(KEY, "n", 1));
        app.put(entity(KEY, "n", 2));
        assertThat(app.get(transaction, KEY).getEntity(0).getEntity())
                .isEqualTo(entity(KEY, "n", 1));
        String text = "Cannot modify entities in a read-only transaction.";
        fails(ErrorCode.BAD_REQUEST, text, () -> app.put(transaction, entity(KEY)));
        fails(ErrorCode.BAD_REQUEST, text, () -> app.delete(transaction, KEY));
        assertThat(app.commit(transaction).getVersionList()).isEmpty();
    }

    @Test
    void invalidEntitiesAreRefusedByThePut() {
        Transaction transaction = app.begin();
        fails(
                ErrorCode.BAD_REQUEST,
                "reserved",
                () -> app.put(transaction, entity(key("__kind__", "a"))));
        app.put(transaction, entity(KEY, "n", 1));
        app.commit(transaction);
        assertThat(app.exists(KEY)).isTrue();
    }

    @Test
    void bufferedWritesAreBoundedByMemory() {
        Transaction first = app.begin();
        Transaction second = app.begin();
        String text = "x".repeat(1_000);
        fails(
                ErrorCode.RESOURCE_EXHAUSTED,
                "retry with backoff",
                () -> {
                    for (int i = 1; i <= 200; i++) {
                        app.put(first, entity(key("A", i), "text", text));
                    }
                });
        fails(
                ErrorCode.RESOURCE_EXHAUSTED,
                "retry with backoff",
                () -> app.put(second, entity(key("B", 1), "text", text), entity(KEY)));
        app.rollback(first);
        app.put(second, entity(key("B", 1), "text", text));
        app.commit(second);
        assertThat(memory.bytesUsed()).isZero();
    }

    @Test
    void expiredTransactionsReleaseTheirMemory() {
        Transaction abandoned = app.begin();
        app.put(abandoned, entity(KEY, "n", 1));
        passedNanos.addAndGet(61_000_000_000L);
        Transaction next = app.begin();
        assertThat(memory.bytesUsed()).isZero();
        assertThat(app.service.openTransactions()).isEqualTo(1);
        fails(ErrorCode.BAD_REQUEST, "no longer valid", () -> app.commit(abandoned));
        app.rollback(next);
    }

    /** The handle contains bits of another epoch. */
    @Test
    void aTransactionOfAFormerOwnerMustBeRetried() {
        Transaction transaction = app.begin();
        Transaction former =
                transaction.toBuilder().setHandle(transaction.getHandle() + (1L << 48)).build();
        fails(ErrorCode.CONCURRENT_TRANSACTION, "Retry", () -> app.commit(former));
        fails(ErrorCode.CONCURRENT_TRANSACTION, "Retry", () -> app.get(former, KEY));
        fails(ErrorCode.CONCURRENT_TRANSACTION, "Retry", () -> app.put(former, entity(KEY)));
    }

    @Test
    void anotherAppCannotUseATransaction() {
        Transaction transaction = app.begin();
        app.put(transaction, entity(KEY, "n", 1));
        CallingApp other = CallingApp.of("other");
        fails(
                ErrorCode.BAD_REQUEST,
                "cannot access",
                () -> app.call(other, "Commit", transaction, CommitResponse.parser()));
        Transaction renamed = transaction.toBuilder().setApp("s~other").build();
        assertThatThrownBy(() -> app.call(other, "Commit", renamed, CommitResponse.parser()))
                .isInstanceOf(ServiceError.class);
        app.commit(transaction);
    }

    @Test
    void tasksAreWrittenWithTheEntities() {
        Transaction transaction = app.begin();
        app.put(transaction, entity(KEY, "n", 1));
        addTask(transaction, "a");
        assertThat(task()).isNull();
        app.commit(transaction);
        assertThat(task()).isEqualTo("a");
        assertThat(app.exists(KEY)).isTrue();
        assertThat(committed).hasValue(1);
    }

    @Test
    void aTransactionMayConsistOfTasks() {
        Transaction transaction = app.begin();
        app.service.addWork(CallingApp.of(V3App.PROJECT), transaction, 1, work("b"));
        app.commit(transaction);
        assertThat(task()).isEqualTo("b");
    }

    @Test
    void aConflictWritesNoTask() {
        Transaction transaction = app.begin();
        var _ = app.get(transaction, KEY);
        addTask(transaction, "a");
        app.put(entity(KEY, "n", 2));
        fails(ErrorCode.CONCURRENT_TRANSACTION, "", () -> app.commit(transaction));
        assertThat(task()).isNull();
        assertThat(committed).hasValue(0);
    }

    @Test
    void aTransactionHasAtMostFiveTasks() {
        Transaction transaction = app.begin();
        for (int i = 0; i < 5; i++) {
            addTask(transaction, "a");
        }
        fails(
                ErrorCode.BAD_REQUEST,
                "Too many messages, maximum allowed 5",
                () -> addTask(transaction, "a"));
    }

    @Test
    void tasksOfOneCallNameOneTransaction() {
        TaskQueueBulkAddRequest mixed =
                TaskQueueBulkAddRequest.newBuilder()
                        .addAddRequest(task(app.begin(), "a"))
                        .addAddRequest(task(app.begin(), "b"))
                        .build();
        fails(
                ErrorCode.BAD_REQUEST,
                "Cannot add requests to different transactions",
                () -> app.call("AddActions", mixed, VoidProto.parser()));
    }

    private void addTask(Transaction transaction, String body) {
        var _ =
                app.call(
                        "AddActions",
                        TaskQueueBulkAddRequest.newBuilder()
                                .addAddRequest(task(transaction, body))
                                .build(),
                        VoidProto.parser());
    }

    private static TaskQueueAddRequest task(Transaction transaction, String body) {
        return TaskQueueAddRequest.newBuilder()
                .setQueueName(ByteString.copyFromUtf8("default"))
                .setTaskName(ByteString.EMPTY)
                .setEtaUsec(0)
                .setBody(ByteString.copyFromUtf8(body))
                .setTransaction(transaction)
                .build();
    }

    private @Nullable String task() {
        try (Snapshot snapshot =
                app.datastore.databases().open(V3App.PROJECT, "").rows().snapshot()) {
            var row = snapshot.get(TASK);
            return row == null ? null : new String(row.value(), StandardCharsets.UTF_8);
        }
    }
}
