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
import com.google.datastore.v1.MutationResult;
import com.google.datastore.v1.ReadOptions;
import com.google.protobuf.ByteString;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.ReadContexts.Concurrency;
import petrichor.kv.memory.MemoryStore;

/** Mutations of one commit that are applied independently. */
@Timeout(60)
class SeparateCommitsTest {
    private static final Key ONE = key("Task", "one");
    private static final Key TWO = key("Task", "two");
    private static final Key THREE = key("Task", "three");
    private static final Key BESIDE = in("notrans-logs", "Log", "l");

    private static Key in(String namespace, String kind, String name) {
        Key.Builder key = key(kind, name).toBuilder();
        key.getPartitionIdBuilder().setNamespaceId(namespace);
        return key.build();
    }

    private static Mutation insert(Entity entity) {
        return Mutation.newBuilder().setInsert(entity).build();
    }

    @ParameterizedTest
    @EnumSource
    void aFailedMutationDoesNotPreventOthers(Concurrency concurrency) {
        try (Entities entities = new Entities(MemoryStore.open(), concurrency)) {
            entities.put(entity(TWO, "n", 1));
            assertThatThrownBy(
                            () ->
                                    entities.commit(
                                            upsert(entity(ONE, "n", 2)),
                                            insert(entity(TWO, "n", 2)),
                                            upsert(entity(THREE, "n", 2))))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS))
                    .hasMessageStartingWith("entity already exists: ")
                    .hasMessageContaining("mutation 2 of 3; 1 failed");
            assertThat(entities.find(ONE)).isEqualTo(entity(ONE, "n", 2));
            assertThat(entities.find(TWO)).isEqualTo(entity(TWO, "n", 1));
            assertThat(entities.find(THREE)).isEqualTo(entity(THREE, "n", 2));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionalCommitAppliesAllOrNone(Concurrency concurrency) {
        try (Entities entities = new Entities(MemoryStore.open(), concurrency)) {
            entities.put(entity(TWO, "n", 1));
            assertThatThrownBy(
                            () ->
                                    entities.commit(
                                            CommitRequest.newBuilder()
                                                    .setTransaction(begin(entities))
                                                    .addMutations(upsert(entity(ONE, "n", 2)))
                                                    .addMutations(insert(entity(TWO, "n", 2)))))
                    .hasMessage("entity already exists: " + KeyText.of(TWO));
            assertThat(entities.find(ONE)).isNull();
        }
    }

    @Test
    void withoutConflictsAllAreAppliedTogether() {
        try (Entities entities = new Entities()) {
            CommitResponse response =
                    entities.commit(upsert(entity(ONE, "n", 1)), upsert(entity(TWO, "n", 1)));
            assertThat(response.getMutationResultsList())
                    .extracting(MutationResult::getVersion)
                    .hasSize(2)
                    .containsOnly(response.getMutationResults(0).getVersion());
            assertThat(response.hasCommitTime()).isFalse();
        }
    }

    @Test
    void anInvalidMutationIsNotFollowedByOthers() {
        try (Entities entities = new Entities()) {
            assertThatThrownBy(
                            () ->
                                    entities.commit(
                                            upsert(entity(ONE, "n", 1)),
                                            upsert(entity(TWO, "__reserved__", 1))))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
            assertThat(entities.find(ONE)).isNull();
        }
    }

    @Test
    void aLockedEntityDoesNotDelayOthers() {
        try (Entities entities = new Entities(MemoryStore.open(), Concurrency.PESSIMISTIC)) {
            entities.put(entity(TWO, "n", 1));
            ByteString holder = begin(entities);
            read(entities, holder, TWO);
            CompletableFuture<CommitResponse> commit =
                    entities.datastore.commit(
                            CommitRequest.newBuilder()
                                    .setProjectId("p")
                                    .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                    .addMutations(upsert(entity(ONE, "n", 2)))
                                    .addMutations(upsert(entity(TWO, "n", 2)))
                                    .addMutations(upsert(entity(THREE, "n", 2)))
                                    .build());
            while (entities.find(ONE) == null || entities.find(THREE) == null) {
                Thread.onSpinWait();
            }
            assertThat(entities.find(TWO)).isEqualTo(entity(TWO, "n", 1));
            entities.commit(
                    CommitRequest.newBuilder()
                            .setTransaction(holder)
                            .addMutations(upsert(entity(TWO, "n", 7))));
            commit.handle((response, failure) -> null).join();
            if (commit.isCompletedExceptionally()) {
                // On a very slow machine the lock wait was already over.
                assertThat(entities.find(TWO)).isEqualTo(entity(TWO, "n", 7));
            } else {
                assertThat(commit.join().getMutationResultsList()).hasSize(3);
                assertThat(entities.find(TWO)).isEqualTo(entity(TWO, "n", 2));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void inATransactionTheyAreIndependentOfItsOutcome(Concurrency concurrency) {
        try (Entities entities = new Entities(MemoryStore.open(), concurrency)) {
            ByteString one = begin(entities);
            entities.put(entity(BESIDE, "n", 1));
            CommitResponse response =
                    entities.commit(
                            CommitRequest.newBuilder()
                                    .setTransaction(one)
                                    .addMutations(upsert(entity(ONE, "n", 2)))
                                    .addMutations(upsert(entity(BESIDE, "n", 2)))
                                    .addMutations(insert(entity(TWO, "n", 2))));
            assertThat(response.getMutationResultsCount()).isEqualTo(3);
            assertThat(response.getMutationResults(0).getVersion())
                    .isEqualTo(response.getMutationResults(2).getVersion())
                    .isGreaterThan(response.getMutationResults(1).getVersion());
            assertThat(entities.find(BESIDE)).isEqualTo(entity(BESIDE, "n", 2));

            assertThatThrownBy(
                            () ->
                                    entities.commit(
                                            CommitRequest.newBuilder()
                                                    .setTransaction(begin(entities))
                                                    .addMutations(upsert(entity(BESIDE, "n", 3)))
                                                    .addMutations(upsert(entity(ONE, "n", 3)))
                                                    .addMutations(insert(entity(TWO, "n", 3)))))
                    .hasMessageContaining("entity already exists");
            assertThat(entities.find(BESIDE)).isEqualTo(entity(BESIDE, "n", 3));
            assertThat(entities.find(ONE)).isEqualTo(entity(ONE, "n", 2));
        }
    }

    private static ByteString begin(Entities entities) {
        return entities.datastore
                .beginTransaction(BeginTransactionRequest.newBuilder().setProjectId("p").build())
                .getTransaction();
    }

    private static void read(Entities entities, ByteString transaction, Key key) {
        var _ =
                entities.datastore.lookup(
                        LookupRequest.newBuilder()
                                .setProjectId("p")
                                .setReadOptions(
                                        ReadOptions.newBuilder().setTransaction(transaction))
                                .addKeys(key)
                                .build());
    }
}
