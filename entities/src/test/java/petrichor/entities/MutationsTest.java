package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.Entities.delete;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.incomplete;
import static petrichor.entities.Entities.insert;
import static petrichor.entities.Entities.key;
import static petrichor.entities.Entities.update;
import static petrichor.entities.Entities.upsert;
import static petrichor.entities.Entities.value;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.MutationResult;
import com.google.datastore.v1.PropertyMask;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RollbackRequest;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class MutationsTest {
    private static final Key KEY = key("Book", "emma");
    private final Entities entities = new Entities();

    @AfterEach
    void close() {
        entities.close();
    }

    @Test
    void anInsertedEntityIsFoundWithItsTimes() {
        Entity book = entity(KEY, "pages", 500, "title", "Emma");
        MutationResult result = entities.commit(insert(book)).getMutationResults(0);
        EntityHit hit = entities.lookup(KEY).found().getFirst();
        assertThat(Entities.parse(hit)).isEqualTo(book);
        assertThat(hit.version()).isEqualTo(result.getVersion());
        assertThat(hit.createTime()).isEqualTo(ValueCodec.micros(result.getCreateTime()));
        assertThat(hit.updateTime()).isEqualTo(ValueCodec.micros(result.getUpdateTime()));
        assertThat(result.hasKey()).isFalse();
    }

    @Test
    void secondInsertOfTheSameKeyIsRefused() {
        entities.put(entity(KEY));
        fails(
                ErrorCode.ALREADY_EXISTS,
                "entity already exists",
                () -> entities.commit(insert(entity(KEY))));
    }

    @Test
    void updateOfAMissingEntityIsRefused() {
        fails(
                ErrorCode.NOT_FOUND,
                "no entity to update",
                () -> entities.commit(update(entity(KEY))));
    }

    @Test
    void updateKeepsTheCreateTimeAndMovesTheVersion() {
        MutationResult first = entities.put(entity(KEY, "a", 1)).getMutationResults(0);
        MutationResult second = entities.commit(update(entity(KEY, "b", 2))).getMutationResults(0);
        assertThat(second.getCreateTime()).isEqualTo(first.getCreateTime());
        assertThat(second.getVersion()).isGreaterThan(first.getVersion());
        assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "b", 2));
    }

    @Test
    void deletedEntitiesAreMissingAtAVersion() {
        entities.put(entity(KEY));
        MutationResult result = entities.commit(delete(KEY)).getMutationResults(0);
        assertThat(result.hasCreateTime()).isFalse();
        EntityHit missing = entities.lookup(KEY).missing().getFirst();
        assertThat(missing.version()).isGreaterThanOrEqualTo(result.getVersion());
        assertThat(Entities.parse(missing).getKey()).isEqualTo(KEY);
    }

    @Test
    void aRecreatedEntityHasANewCreateTime() {
        MutationResult first = entities.put(entity(KEY)).getMutationResults(0);
        CommitRequest.Builder both =
                CommitRequest.newBuilder()
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setSingleUseTransaction(TransactionOptions.getDefaultInstance())
                        .addMutations(delete(KEY))
                        .addMutations(insert(entity(KEY, "a", 1)));
        MutationResult second = entities.commit(both).getMutationResults(1);
        assertThat(ValueCodec.micros(second.getCreateTime())).isGreaterThan(first.getVersion());
        assertThat(entities.lookup(KEY).found().getFirst().createTime())
                .isEqualTo(second.getVersion());
    }

    @Test
    void incompleteKeysGetIds() {
        CommitResponse response =
                entities.commit(
                        insert(entity(incomplete("Book"))), upsert(entity(incomplete("Book"))));
        Key first = response.getMutationResults(0).getKey();
        Key second = response.getMutationResults(1).getKey();
        assertThat(first.getPath(0).getId()).isPositive().isNotEqualTo(second.getPath(0).getId());
        assertThat(entities.find(first)).isEqualTo(entity(first));
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "incomplete",
                () -> entities.commit(update(entity(incomplete("B")))));
    }

    @Test
    void aKeyWithoutPartitionBelongsToTheDatabaseOfTheRequest() {
        Key bare = KEY.toBuilder().clearPartitionId().build();
        entities.put(entity(bare, "a", 1));
        assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "a", 1));
    }

    @Test
    void baseVersionsDetectConflicts() {
        long old = entities.put(entity(KEY, "a", 1)).getMutationResults(0).getVersion();
        long current = entities.put(entity(KEY, "a", 2)).getMutationResults(0).getVersion();
        Mutation stale = upsert(entity(KEY, "a", 3)).toBuilder().setBaseVersion(old).build();
        MutationResult kept = entities.commit(stale).getMutationResults(0);
        assertThat(kept.getConflictDetected()).isTrue();
        assertThat(kept.getVersion()).isEqualTo(current);
        assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "a", 2));
        fails(
                ErrorCode.ABORTED,
                "changed after",
                () ->
                        entities.commit(
                                stale.toBuilder()
                                        .setConflictResolutionStrategy(
                                                Mutation.ConflictResolutionStrategy.FAIL)
                                        .build()));
        MutationResult applied =
                entities.commit(stale.toBuilder().setBaseVersion(current).build())
                        .getMutationResults(0);
        assertThat(applied.getConflictDetected()).isFalse();
        assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "a", 3));
    }

    @Test
    void theVersionOfAMissingEntityDetectsConflictsToo() {
        entities.put(entity(key("Other", "x")));
        long missing = entities.lookup(KEY).missing().getFirst().version();
        Mutation based = upsert(entity(KEY, "a", 1)).toBuilder().setBaseVersion(missing).build();
        MutationResult result = entities.commit(based).getMutationResults(0);
        assertThat(result.getConflictDetected()).isFalse();
        entities.commit(delete(KEY));
        Mutation stale = based.toBuilder().setBaseVersion(result.getVersion()).build();
        assertThat(entities.commit(stale).getMutationResults(0).getConflictDetected()).isTrue();
        assertThat(entities.find(KEY)).isNull();
    }

    @Test
    void updateTimesDetectConflicts() {
        MutationResult first = entities.put(entity(KEY, "a", 1)).getMutationResults(0);
        Mutation based =
                upsert(entity(KEY, "a", 2)).toBuilder()
                        .setUpdateTime(first.getUpdateTime())
                        .build();
        assertThat(entities.commit(based).getMutationResults(0).getConflictDetected()).isFalse();
        assertThat(entities.commit(based).getMutationResults(0).getConflictDetected()).isTrue();
    }

    @Test
    void aStrategyNeedsSomethingToDetectConflictsBy() {
        Mutation mutation =
                upsert(entity(KEY)).toBuilder()
                        .setConflictResolutionStrategy(Mutation.ConflictResolutionStrategy.FAIL)
                        .build();
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "conflict_resolution_strategy",
                () -> entities.commit(mutation));
    }

    @Test
    void masksWriteOnlyTheirProperties() {
        entities.put(entity(KEY, "a", 1, "b", 2, "c", entity(KEY, "x", 1, "y", 2)));
        Mutation masked =
                upsert(entity(KEY, "a", 10, "d", 4, "c", entity(KEY, "x", 10, "y", 20))).toBuilder()
                        .setPropertyMask(
                                PropertyMask.newBuilder()
                                        .addPaths("a")
                                        .addPaths("b")
                                        .addPaths("c.y"))
                        .build();
        entities.commit(masked);
        assertThat(entities.find(KEY))
                .isEqualTo(entity(KEY, "a", 10, "c", entity(KEY, "x", 1, "y", 20)));
        LookupRequest lookup =
                LookupRequest.newBuilder()
                        .setProjectId("p")
                        .addKeys(KEY)
                        .setPropertyMask(PropertyMask.newBuilder().addPaths("a").addPaths("c.x"))
                        .build();
        assertThat(Entities.parse(entities.datastore.lookup(lookup).found().getFirst()))
                .isEqualTo(entity(KEY, "a", 10, "c", entity(KEY, "x", 1)));
    }

    @Test
    void repeatedMutationsOfAnEntityNeedATransactionAndAnAllowedOrder() {
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "multiple mutations",
                () -> entities.commit(upsert(entity(KEY)), delete(KEY)));
        refusedSequence(insert(entity(KEY)), insert(entity(KEY)));
        refusedSequence(update(entity(KEY)), insert(entity(KEY)));
        refusedSequence(upsert(entity(KEY)), insert(entity(KEY)));
        refusedSequence(delete(KEY), update(entity(KEY)));
        entities.commit(transaction(insert(entity(KEY, "a", 1)), update(entity(KEY, "a", 2))));
        assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "a", 2));
        entities.commit(transaction(upsert(entity(KEY, "a", 3)), delete(KEY)));
        assertThat(entities.find(KEY)).isNull();
    }

    private void refusedSequence(Mutation first, Mutation second) {
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "must not follow",
                () -> entities.commit(transaction(first, second)));
    }

    private static CommitRequest.Builder transaction(Mutation first, Mutation second) {
        return CommitRequest.newBuilder()
                .setSingleUseTransaction(TransactionOptions.getDefaultInstance())
                .addMutations(first)
                .addMutations(second);
    }

    @Test
    void aFailedMutationRollsBackATransactionalCommit() {
        Key other = key("Book", "other");
        fails(
                ErrorCode.NOT_FOUND,
                "no entity",
                () -> entities.commit(transaction(upsert(entity(KEY)), update(entity(other)))));
        assertThat(entities.find(KEY)).isNull();
    }

    @Test
    void indexUpdatesCountEveryRowOfAnIndex() {
        assertThat(entities.put(entity(KEY, "a", 1)).getIndexUpdates()).isEqualTo(3);
        assertThat(entities.put(entity(KEY, "a", 1)).getIndexUpdates()).isZero();
        assertThat(entities.put(entity(KEY, "a", 2)).getIndexUpdates()).isEqualTo(4);
        assertThat(entities.commit(delete(KEY)).getIndexUpdates()).isEqualTo(3);
    }

    @Test
    void aTransactionWithOutdatedReadsIsAborted() {
        entities.put(entity(KEY, "a", 1));
        ByteString transaction = begin();
        read(transaction);
        entities.put(entity(KEY, "a", 2));
        fails(
                ErrorCode.ABORTED,
                "contention",
                () -> commitIn(transaction, upsert(entity(KEY, "a", 3))));
        assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "a", 2));
        // A failed transaction can still be rolled back.
        entities.datastore.rollback(
                RollbackRequest.newBuilder().setProjectId("p").setTransaction(transaction).build());
    }

    @Test
    void aTransactionReadsTheStateAtItsStart() {
        entities.put(entity(KEY, "a", 1));
        ByteString transaction = begin();
        entities.put(entity(KEY, "a", 2));
        assertThat(read(transaction)).isEqualTo(entity(KEY, "a", 1));
    }

    @Test
    void aLookupCanBeginATransaction() {
        entities.put(entity(KEY, "a", 1));
        LookupRequest request =
                LookupRequest.newBuilder()
                        .setProjectId("p")
                        .addKeys(KEY)
                        .setReadOptions(
                                ReadOptions.newBuilder()
                                        .setNewTransaction(TransactionOptions.getDefaultInstance()))
                        .build();
        ByteString transaction = entities.datastore.lookup(request).transaction();
        CommitResponse response = commitIn(transaction, upsert(entity(KEY, "a", 2)));
        assertThat(response.hasCommitTime()).isTrue();
        assertThat(entities.find(KEY)).isEqualTo(entity(KEY, "a", 2));
        fails(ErrorCode.INVALID_ARGUMENT, "transaction", () -> commitIn(transaction, delete(KEY)));
    }

    @Test
    void aLookupCanReadThePast() {
        long then = entities.put(entity(KEY, "a", 1)).getMutationResults(0).getVersion();
        entities.put(entity(KEY, "a", 2));
        LookupRequest request =
                LookupRequest.newBuilder()
                        .setProjectId("p")
                        .addKeys(KEY)
                        .setReadOptions(
                                ReadOptions.newBuilder().setReadTime(ValueCodec.timestamp(then)))
                        .build();
        LookupResult result = entities.datastore.lookup(request);
        assertThat(Entities.parse(result.found().getFirst())).isEqualTo(entity(KEY, "a", 1));
        assertThat(result.readTime()).isEqualTo(then);
    }

    @Test
    void aReadOnlyTransactionDoesNotWrite() {
        TransactionOptions.Builder options = TransactionOptions.newBuilder();
        options.getReadOnlyBuilder();
        ByteString transaction =
                entities.datastore
                        .beginTransaction(
                                BeginTransactionRequest.newBuilder()
                                        .setProjectId("p")
                                        .setTransactionOptions(options)
                                        .build())
                        .getTransaction();
        fails(
                ErrorCode.INVALID_ARGUMENT,
                "read-only",
                () -> commitIn(transaction, upsert(entity(KEY))));
    }

    @Test
    void lookupsOfTheSameKeyTwiceFindItOnce() {
        entities.put(entity(KEY));
        LookupRequest request =
                LookupRequest.newBuilder().setProjectId("p").addKeys(KEY).addKeys(KEY).build();
        assertThat(entities.datastore.lookup(request).found()).hasSize(1);
    }

    @Test
    void namedDatabasesAreIsolated() {
        entities.put(entity(KEY, "a", 1));
        LookupRequest elsewhere =
                LookupRequest.newBuilder()
                        .setProjectId("p")
                        .setDatabaseId("other")
                        .addKeys(
                                KEY.toBuilder()
                                        .setPartitionId(RowLayout.partition("p", "other", "")))
                        .build();
        assertThat(entities.datastore.lookup(elsewhere).missing()).hasSize(1);
    }

    @Test
    void embeddedValuesAreStoredAsTheyAre() {
        Entity book =
                entity(
                        KEY,
                        "tags",
                        new Object[] {"a", 1, "a"},
                        "inner",
                        entity(key("In", "x"), "deep", value(1.5)));
        entities.put(book);
        assertThat(entities.find(KEY)).isEqualTo(book);
    }

    private ByteString begin() {
        return entities.datastore
                .beginTransaction(BeginTransactionRequest.newBuilder().setProjectId("p").build())
                .getTransaction();
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

    private CommitResponse commitIn(ByteString transaction, Mutation mutation) {
        return entities.commit(
                CommitRequest.newBuilder().setTransaction(transaction).addMutations(mutation));
    }

    private static void fails(ErrorCode code, String text, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PetrichorException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(text);
    }
}
