package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.ReadOptions;
import com.google.protobuf.ByteString;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;

/** Namespaces whose entities take no part in transactions. */
class NamespacesTest {
    private static final Key PLAIN = named("notran");
    private static final Key BESIDE = named("notrans-counters");

    private static Key named(String namespace) {
        Key.Builder key = key("Counter", "c").toBuilder();
        key.getPartitionIdBuilder().setNamespaceId(namespace);
        return key.build();
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionNeitherLocksNorValidatesTheirEntities(ReadContexts.Concurrency concurrency) {
        try (Entities entities = new Entities(MemoryStore.open(), concurrency)) {
            entities.put(entity(BESIDE, "n", 0));
            ByteString first = begin(entities);
            ByteString second = begin(entities);
            assertThat(read(entities, first, BESIDE)).isZero();
            assertThat(read(entities, second, BESIDE)).isZero();
            commit(entities, first, entity(BESIDE, "n", 1));
            // The second transaction reads a later write, and overwrites it.
            assertThat(read(entities, second, BESIDE)).isEqualTo(1);
            commit(entities, second, entity(BESIDE, "n", 2));
            assertThat(read(entities, begin(entities), BESIDE)).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "OPTIMISTIC")
    void anotherPrefixIsAnOrdinaryNamespace(ReadContexts.Concurrency concurrency) {
        try (Entities entities = new Entities(MemoryStore.open(), concurrency)) {
            entities.put(entity(PLAIN, "n", 0));
            ByteString first = begin(entities);
            ByteString second = begin(entities);
            assertThat(read(entities, first, PLAIN)).isZero();
            assertThat(read(entities, second, PLAIN)).isZero();
            commit(entities, first, entity(PLAIN, "n", 1));
            assertThatThrownBy(() -> commit(entities, second, entity(PLAIN, "n", 2)))
                    .rootCause()
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
        }
    }

    private static ByteString begin(Entities entities) {
        return entities.datastore
                .beginTransaction(
                        BeginTransactionRequest.newBuilder().setProjectId(Entities.PROJECT).build())
                .getTransaction();
    }

    private static long read(Entities entities, ByteString transaction, Key key) {
        LookupResult result =
                entities.datastore.lookup(
                        LookupRequest.newBuilder()
                                .setProjectId(Entities.PROJECT)
                                .setReadOptions(
                                        ReadOptions.newBuilder().setTransaction(transaction))
                                .addKeys(key)
                                .build());
        return Entities.parse(result.found().getFirst())
                .getPropertiesOrThrow("n")
                .getIntegerValue();
    }

    private static void commit(Entities entities, ByteString transaction, Entity entity) {
        entities.datastore
                .commit(
                        CommitRequest.newBuilder()
                                .setProjectId(Entities.PROJECT)
                                .setMode(CommitRequest.Mode.TRANSACTIONAL)
                                .setTransaction(transaction)
                                .addMutations(Entities.upsert(entity))
                                .build())
                .join();
    }
}
