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
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.ReadContexts.Concurrency;
import petrichor.entities.query.Queries;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;

/**
 * A put without a transaction to an entity that an open transaction has read: what Google's system
 * test {@code test_failure_with_contention} expects of pessimistic mode, and what optimistic mode
 * does instead.
 */
@Timeout(60)
class PutsDuringTransactionsTest {
    private static final Key KEY = key("Task", "t");

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases =
            new RowDatabases(
                    store,
                    TransactionLimits.DEFAULT.withLockWait(Duration.ofMillis(50)),
                    TimeSource.SYSTEM,
                    new SplittableRandom(7));

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private Datastore datastore(Concurrency concurrency) {
        return new Datastore(
                new EntityDatabases(databases),
                concurrency,
                Queries.MissingIndexes.CREATE,
                TimeSource.SYSTEM);
    }

    static Stream<Arguments> readsAndWrites() {
        Mutation put = upsert(entity(KEY, "n", "outside"));
        Mutation delete = Mutation.newBuilder().setDelete(KEY).build();
        Named<BiConsumer<Datastore, ByteString>> lookup =
                Named.of("lookup", PutsDuringTransactionsTest::lookUp);
        Named<BiConsumer<Datastore, ByteString>> query =
                Named.of("query", PutsDuringTransactionsTest::query);
        return Stream.of(lookup, query)
                .flatMap(
                        read ->
                                Stream.of(
                                        Arguments.of(read, Named.of("put", put)),
                                        Arguments.of(read, Named.of("delete", delete))));
    }

    @ParameterizedTest
    @MethodSource("readsAndWrites")
    void inPessimisticModeThePutIsAbortedAndTheTransactionCommits(
            BiConsumer<Datastore, ByteString> read, Mutation outside) {
        Datastore datastore = datastore(Concurrency.PESSIMISTIC);
        write(datastore, upsert(entity(KEY, "n", "before")));
        ByteString transaction = begin(datastore);
        read.accept(datastore, transaction);
        assertAborted(() -> write(datastore, outside));
        commit(datastore, transaction, entity(KEY, "n", "inside"));
        write(datastore, outside);
    }

    @ParameterizedTest
    @MethodSource("readsAndWrites")
    void inOptimisticModeThePutIsAppliedAndTheTransactionIsAborted(
            BiConsumer<Datastore, ByteString> read, Mutation outside) {
        Datastore datastore = datastore(Concurrency.OPTIMISTIC);
        write(datastore, upsert(entity(KEY, "n", "before")));
        ByteString transaction = begin(datastore);
        read.accept(datastore, transaction);
        write(datastore, outside);
        assertAborted(() -> commit(datastore, transaction, entity(KEY, "n", "inside")));
        write(datastore, outside);
    }

    private static void assertAborted(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .rootCause()
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
    }

    private static ByteString begin(Datastore datastore) {
        return datastore
                .beginTransaction(BeginTransactionRequest.newBuilder().setProjectId("p").build())
                .getTransaction();
    }

    private static void lookUp(Datastore datastore, ByteString transaction) {
        assertThat(
                        datastore
                                .lookup(
                                        LookupRequest.newBuilder()
                                                .setProjectId("p")
                                                .setReadOptions(in(transaction))
                                                .addKeys(KEY)
                                                .build())
                                .found())
                .hasSize(1);
    }

    private static void query(Datastore datastore, ByteString transaction) {
        RunQueryRequest.Builder request =
                RunQueryRequest.newBuilder().setProjectId("p").setReadOptions(in(transaction));
        request.getQueryBuilder().addKindBuilder().setName("Task");
        assertThat(datastore.runQuery(request.build()).hits()).hasSize(1);
    }

    private static ReadOptions in(ByteString transaction) {
        return ReadOptions.newBuilder().setTransaction(transaction).build();
    }

    private static void write(Datastore datastore, Mutation mutation) {
        var _ =
                datastore
                        .commit(
                                CommitRequest.newBuilder()
                                        .setProjectId("p")
                                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                        .addMutations(mutation)
                                        .build())
                        .join();
    }

    private static void commit(Datastore datastore, ByteString transaction, Entity entity) {
        var _ =
                datastore
                        .commit(
                                CommitRequest.newBuilder()
                                        .setProjectId("p")
                                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                                        .setTransaction(transaction)
                                        .addMutations(upsert(entity))
                                        .build())
                        .join();
    }
}
