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
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RollbackRequest;
import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.query.Queries;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;

/**
 * Commits that wait for the locks of a transaction. Everything runs on the test's one thread: if a
 * wait occupied a thread, the test would not proceed.
 */
@Timeout(60)
class LockedEntitiesTest {
    private static final Key KEY = key("Counter", "locked");
    private static final Duration FOREVER = Duration.ofHours(1);

    private final MemoryStore store = MemoryStore.open();
    private RowDatabases databases = databases(FOREVER);
    private Datastore datastore = datastore();

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private RowDatabases databases(Duration lockWait) {
        return new RowDatabases(
                store,
                TransactionLimits.DEFAULT.withLockWait(lockWait),
                TimeSource.SYSTEM,
                new SplittableRandom(7));
    }

    private Datastore datastore() {
        return new Datastore(
                new EntityDatabases(databases),
                ReadContexts.Concurrency.PESSIMISTIC,
                Queries.MissingIndexes.CREATE,
                TimeSource.SYSTEM);
    }

    private void waitAtMost(Duration lockWait) {
        databases.close();
        databases = databases(lockWait);
        datastore = datastore();
    }

    @Test
    void waitingPutsHoldNoThreadAndAreAppliedInTheOrderOfTheirArrival() {
        ByteString holder = lock();
        List<CompletableFuture<CommitResponse>> puts = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            puts.add(put(entity(KEY, "n", i)));
        }
        assertThat(puts).noneMatch(CompletableFuture::isDone);
        put(entity(key("Counter", "other"), "n", 1)).join();
        rollback(holder);
        puts.forEach(CompletableFuture::join);
        assertThat(find()).isEqualTo(entity(KEY, "n", 99));
    }

    @Test
    void aCommitInATransactionWaitsWithoutAThreadAsWell() {
        ByteString holder = lock();
        ByteString writer = begin();
        CompletableFuture<CommitResponse> commit =
                datastore.commit(
                        CommitRequest.newBuilder()
                                .setProjectId("p")
                                .setTransaction(writer)
                                .addMutations(upsert(entity(KEY, "n", 2)))
                                .build());
        assertThat(commit).isNotDone();
        rollback(holder);
        commit.join();
        assertThat(find()).isEqualTo(entity(KEY, "n", 2));
    }

    @Test
    void aLockWaitThatTimesOutFailsThePutPermanently() {
        waitAtMost(Duration.ofMillis(50));
        ByteString holder = lock();
        assertFails(put(entity(KEY, "n", 2)), ErrorCode.ABORTED);
        rollback(holder);
        assertNotApplied();
    }

    @Test
    void aPutWhoseClientHasLeftIsNotApplied() {
        ByteString holder = lock();
        Cancellation caller = Cancellation.after(FOREVER.toNanos());
        CompletableFuture<CommitResponse> put = put(caller, entity(KEY, "n", 2));
        assertThat(put).isNotDone();
        caller.cancel();
        assertFails(put, ErrorCode.ABORTED);
        rollback(holder);
        assertNotApplied();
    }

    @Test
    void aPutWhoseDeadlineHasPassedIsNotApplied() {
        ByteString holder = lock();
        Cancellation caller = Cancellation.after(TimeUnit.MILLISECONDS.toNanos(20));
        assertFails(put(caller, entity(KEY, "n", 2)), ErrorCode.ABORTED);
        rollback(holder);
        assertNotApplied();
    }

    @Test
    void aPutWhoseClientHasLeftBeforeItBeginsIsNotApplied() {
        put(entity(KEY, "n", 1)).join();
        Cancellation caller = Cancellation.after(FOREVER.toNanos());
        caller.cancel();
        assertThatThrownBy(() -> put(caller, entity(KEY, "n", 2)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
        assertNotApplied();
    }

    private static void assertFails(CompletableFuture<CommitResponse> put, ErrorCode code) {
        assertThatThrownBy(put::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        PetrichorException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    /** Not even after later commits. */
    private void assertNotApplied() {
        put(entity(key("Counter", "other"), "n", 1)).join();
        assertThat(find()).isEqualTo(entity(KEY, "n", 1));
    }

    /** A transaction that has read the counter, whose value is 1. */
    private ByteString lock() {
        put(entity(KEY, "n", 1)).join();
        ByteString transaction = begin();
        assertThat(lookup(ReadOptions.newBuilder().setTransaction(transaction)).found()).hasSize(1);
        return transaction;
    }

    private ByteString begin() {
        return datastore
                .beginTransaction(BeginTransactionRequest.newBuilder().setProjectId("p").build())
                .getTransaction();
    }

    private void rollback(ByteString transaction) {
        datastore.rollback(
                RollbackRequest.newBuilder().setProjectId("p").setTransaction(transaction).build());
    }

    private CompletableFuture<CommitResponse> put(Cancellation caller, Entity entity) {
        List<CompletableFuture<CommitResponse>> put = new ArrayList<>();
        caller.run(() -> put.add(put(entity)));
        return put.getFirst();
    }

    private CompletableFuture<CommitResponse> put(Entity entity) {
        return datastore.commit(
                CommitRequest.newBuilder()
                        .setProjectId("p")
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                        .addMutations(upsert(entity))
                        .build());
    }

    private Entity find() {
        return Entities.parse(lookup(ReadOptions.newBuilder()).found().getFirst());
    }

    private LookupResult lookup(ReadOptions.Builder options) {
        return datastore.lookup(
                LookupRequest.newBuilder()
                        .setProjectId("p")
                        .addKeys(KEY)
                        .setReadOptions(options)
                        .build());
    }
}
