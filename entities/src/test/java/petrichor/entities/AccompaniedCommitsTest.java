package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;
import static petrichor.entities.Entities.upsert;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.Row;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/** Rows that are written in the commit of a transaction, with its entities or not at all. */
class AccompaniedCommitsTest {
    private static final Key KEY = key("Order", "a");
    private static final byte[] TASK = bytes("Q/task");

    private @Nullable Entities entities;

    private Entities open(ReadContexts.Concurrency concurrency) {
        Entities opened = new Entities(MemoryStore.open(), concurrency);
        entities = opened;
        return opened;
    }

    @AfterEach
    void close() {
        if (entities != null) {
            entities.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsAreWrittenInTheSameCommitAsEntities(ReadContexts.Concurrency concurrency) {
        Entities store = open(concurrency);
        CommitResponse response =
                commit(store, begin(store), List.of(task("1")), upsert(entity(KEY, "n", 1)));
        Row row = Objects.requireNonNull(row(store, TASK));
        assertThat(row.value()).isEqualTo(bytes("1"));
        assertThat(row.version())
                .isEqualTo(response.getMutationResults(0).getVersion())
                .isEqualTo(store.lookup(KEY).found().getFirst().version());
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionMayWriteOnlyRows(ReadContexts.Concurrency concurrency) {
        Entities store = open(concurrency);
        CommitResponse response = commit(store, begin(store), List.of(task("1")));
        assertThat(response.getMutationResultsList()).isEmpty();
        assertThat(row(store, TASK)).isNotNull();
    }

    @Test
    void aConflictWritesNeither() {
        Entities store = open(ReadContexts.Concurrency.OPTIMISTIC);
        ByteString transaction = begin(store);
        read(store, transaction, KEY);
        store.put(entity(KEY, "n", 1));
        fails(
                ErrorCode.ABORTED,
                () -> commit(store, transaction, List.of(task("1")), upsert(entity(KEY, "n", 2))));
        assertThat(row(store, TASK)).isNull();
        assertThat(store.find(KEY)).isEqualTo(entity(KEY, "n", 1));
    }

    @Test
    void aConflictOfATransactionWithoutEntitiesWritesNoRows() {
        Entities store = open(ReadContexts.Concurrency.OPTIMISTIC);
        ByteString transaction = begin(store);
        read(store, transaction, KEY);
        store.put(entity(KEY, "n", 1));
        fails(ErrorCode.ABORTED, () -> commit(store, transaction, List.of(task("1"))));
        assertThat(row(store, TASK)).isNull();
    }

    /** Without the rows among the conflict keys, the second commit would overwrite the first. */
    @Test
    void twoTransactionsThatWriteTheSameRowConflict() {
        Entities store = open(ReadContexts.Concurrency.OPTIMISTIC);
        ByteString first = begin(store);
        ByteString second = begin(store);
        commit(store, first, List.of(task("1")));
        fails(ErrorCode.ABORTED, () -> commit(store, second, List.of(task("2"))));
        Row row = Objects.requireNonNull(row(store, TASK));
        assertThat(row.value()).isEqualTo(bytes("1"));
    }

    @Test
    void anInvalidMutationWritesNoRows() {
        Entities store = open(ReadContexts.Concurrency.OPTIMISTIC);
        Mutation update = Mutation.newBuilder().setUpdate(entity(KEY, "n", 1)).build();
        fails(ErrorCode.NOT_FOUND, () -> commit(store, begin(store), List.of(task("1")), update));
        assertThat(row(store, TASK)).isNull();
    }

    @Test
    void aReadOnlyTransactionWritesNoRows() {
        Entities store = open(ReadContexts.Concurrency.OPTIMISTIC);
        ByteString transaction =
                begin(
                        store,
                        TransactionOptions.newBuilder()
                                .setReadOnly(TransactionOptions.ReadOnly.getDefaultInstance()));
        fails(ErrorCode.INVALID_ARGUMENT, () -> commit(store, transaction, List.of(task("1"))));
        assertThat(row(store, TASK)).isNull();
    }

    @Test
    void onlyTransactionsHaveAccompanyingRows() {
        Entities store = open(ReadContexts.Concurrency.OPTIMISTIC);
        CommitRequest blind =
                CommitRequest.newBuilder()
                        .setProjectId(Entities.PROJECT)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                        .addMutations(upsert(entity(KEY)))
                        .build();
        fails(
                ErrorCode.INVALID_ARGUMENT,
                () -> store.datastore.commit(blind, List.of(task("1"))).join());
        assertThat(store.find(KEY)).isNull();
    }

    /** Entities in a namespace without transactions are applied first, the rows with the rest. */
    @Test
    void rowsBelongToTheTransactionEvenIfAllEntitiesAreOutsideIt() {
        Entities store = open(ReadContexts.Concurrency.OPTIMISTIC);
        Key outside =
                KEY.toBuilder()
                        .setPartitionId(
                                KEY.getPartitionId().toBuilder().setNamespaceId("notrans-x"))
                        .build();
        Entity entity = entity(outside, "n", 1);
        commit(store, begin(store), List.of(task("1")), upsert(entity));
        assertThat(row(store, TASK)).isNotNull();
        assertThat(store.find(outside)).isEqualTo(entity);
    }

    private static RowWrite task(String value) {
        return new RowWrite(TASK, bytes(value), null);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static ByteString begin(Entities store) {
        return begin(store, TransactionOptions.newBuilder());
    }

    private static ByteString begin(Entities store, TransactionOptions.Builder options) {
        return store.datastore
                .beginTransaction(
                        BeginTransactionRequest.newBuilder()
                                .setProjectId(Entities.PROJECT)
                                .setTransactionOptions(options)
                                .build())
                .getTransaction();
    }

    private static void read(Entities store, ByteString transaction, Key key) {
        store.datastore.lookup(
                LookupRequest.newBuilder()
                        .setProjectId(Entities.PROJECT)
                        .setReadOptions(ReadOptions.newBuilder().setTransaction(transaction))
                        .addKeys(key)
                        .build());
    }

    private static CommitResponse commit(
            Entities store, ByteString transaction, List<RowWrite> rows, Mutation... mutations) {
        return store.datastore
                .commit(
                        CommitRequest.newBuilder()
                                .setProjectId(Entities.PROJECT)
                                .setTransaction(transaction)
                                .addAllMutations(List.of(mutations))
                                .build(),
                        rows)
                .join();
    }

    private static @Nullable Row row(Entities store, byte[] key) {
        try (Snapshot snapshot = store.database().rows().snapshot()) {
            return snapshot.get(key);
        }
    }

    private static void fails(ErrorCode code, Runnable commit) {
        assertThatThrownBy(
                        () -> {
                            try {
                                commit.run();
                            } catch (CompletionException e) {
                                throw e.getCause();
                            }
                        })
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code));
    }
}
