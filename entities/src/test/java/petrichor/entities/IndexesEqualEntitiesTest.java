package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.IndexDefinition.Column;
import petrichor.kv.Direction;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.log.RoutedStores;

/**
 * Random commits compared with a map of entities, then every index row compared with the entities.
 */
class IndexesEqualEntitiesTest {
    private static final List<IndexDefinition> DEFINITIONS =
            List.of(
                    new IndexDefinition(
                            "A",
                            false,
                            List.of(
                                    new Column("p0", SortOrder.ASCENDING),
                                    new Column("p1", SortOrder.DESCENDING))),
                    new IndexDefinition(
                            "A",
                            true,
                            List.of(
                                    new Column("p2", SortOrder.DESCENDING),
                                    new Column("inner.p0", SortOrder.ASCENDING))),
                    new IndexDefinition("B", true, List.of(new Column("p0", SortOrder.ASCENDING))));

    private final long seed = Seeds.seed();
    private final Random random = new Random(seed);
    private final RandomValues values = new RandomValues(random);

    @Test
    void afterRandomCommitsInMemory() {
        afterRandomCommits(MemoryStore.open(), 300);
    }

    @Test
    void afterRandomCommitsThroughALog() {
        afterRandomCommits(
                MemoryStore.open(
                        MemoryOptions.DEFAULT.withTier(MemoryOptions.Tier.B).withoutViews()),
                300);
    }

    @Test
    void afterRandomCommitsOnDisk(@TempDir Path folder) {
        afterRandomCommits(RocksStore.open(folder), 100);
    }

    @ParameterizedTest
    @CsvSource({"A, B", "B, A", "A, A"})
    void afterRandomCommitsInTwoStores(MemoryOptions.Tier home, MemoryOptions.Tier beside) {
        RoutedStores stores =
                new RoutedStores(
                        MemoryStore.open(MemoryOptions.DEFAULT.withTier(home).withoutViews()),
                        List.of(
                                new RoutedStores.Other(
                                        "beside",
                                        MemoryStore.open(
                                                MemoryOptions.DEFAULT
                                                        .withTier(beside)
                                                        .withoutViews()))),
                        new KindPlacement(Map.of(KindPlacement.Subject.parse("A"), 1)),
                        "A = beside");
        afterRandomCommits(new Entities(stores, ReadContexts.Concurrency.OPTIMISTIC), 150);
    }

    private void afterRandomCommits(KeyValueStore store, int rounds) {
        afterRandomCommits(new Entities(store), rounds);
    }

    private void afterRandomCommits(Entities opened, int rounds) {
        try (Entities entities = opened) {
            Map<Key, Entity> model = new LinkedHashMap<>();
            for (int round = 0; round < rounds; round++) {
                commitSome(entities, model);
                if (round % 25 == 10) {
                    IndexDefinition definition =
                            DEFINITIONS.get(random.nextInt(DEFINITIONS.size()));
                    if (!entities.database().indexes().ensure(definition)) {
                        entities.database().indexes().remove(definition);
                    }
                }
                if (round % 20 == 0) {
                    requireConsistent(entities, model.size());
                }
            }
            requireConsistent(entities, model.size());
            for (Map.Entry<Key, Entity> entry : model.entrySet()) {
                assertThat(entities.find(entry.getKey()))
                        .as("seed %d", seed)
                        .isEqualTo(entry.getValue());
            }
        }
    }

    private void commitSome(Entities entities, Map<Key, Entity> model) {
        Map<Key, Mutation> mutations = new LinkedHashMap<>();
        Map<Key, Entity> next = new LinkedHashMap<>(model);
        for (int i = 0; i < 1 + random.nextInt(8); i++) {
            Key key = key();
            if (mutations.containsKey(key)) {
                continue;
            }
            if (random.nextInt(3) == 0) {
                mutations.put(key, Entities.delete(key));
                next.remove(key);
            } else {
                Entity entity = entity(key);
                mutations.put(key, Entities.upsert(entity));
                next.put(key, entity);
            }
        }
        entities.commit(mutations.values().toArray(Mutation[]::new));
        model.clear();
        model.putAll(next);
    }

    private Key key() {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder()
                .setProjectId("p")
                .setNamespaceId(random.nextInt(3) == 0 ? "other" : "");
        if (random.nextBoolean()) {
            key.addPathBuilder().setKind("Root").setId(1 + random.nextInt(2));
        }
        key.addPathBuilder()
                .setKind(random.nextBoolean() ? "A" : "B")
                .setId(1 + random.nextInt(40));
        return key.build();
    }

    private Entity entity(Key key) {
        Entity.Builder entity = Entity.newBuilder().setKey(key);
        for (int i = 0; i < 4; i++) {
            switch (random.nextInt(6)) {
                case 0 -> {}
                case 1 -> {
                    List<Object> elements = new ArrayList<>();
                    for (int e = random.nextInt(4); e > 0; e--) {
                        elements.add(maybeExcluded(value()));
                    }
                    entity.putProperties("p" + i, Entities.value(elements.toArray()));
                }
                case 2 ->
                        entity.putProperties(
                                "inner",
                                maybeExcluded(
                                        Value.newBuilder()
                                                .setEntityValue(
                                                        Entity.newBuilder()
                                                                .putProperties("p0", value()))
                                                .build()));
                default -> entity.putProperties("p" + i, maybeExcluded(value()));
            }
        }
        return entity.build();
    }

    /** Few values, so that entities share them. */
    private Value value() {
        return random.nextBoolean() ? Entities.value(random.nextInt(4)) : valid(values.value());
    }

    /** Coordinates and namespaces are at the edges of the order but not valid. */
    private static Value valid(Value value) {
        if (value.hasGeoPointValue()) {
            return Entities.value(7);
        }
        Value.Builder changed = value.toBuilder();
        if (value.hasKeyValue()) {
            changed.getKeyValueBuilder().getPartitionIdBuilder().setNamespaceId("n");
        }
        return changed.build();
    }

    private Value maybeExcluded(Value value) {
        return random.nextInt(5) == 0
                ? value.toBuilder().setExcludeFromIndexes(true).build()
                : value;
    }

    private void requireConsistent(Entities entities, int size) {
        try (Snapshot snapshot = entities.database().rows().snapshot()) {
            Consistency.Report report = Consistency.check(entities.database(), snapshot, 10);
            assertThat(report.differences()).as("seed %d", seed).isEmpty();
            assertThat(report.entities()).as("seed %d", seed).isEqualTo(size);
        }
    }

    @Test
    void anIndexIsFilledUnderConcurrentWrites() {
        try (Entities entities = new Entities()) {
            Map<Key, Entity> model = new LinkedHashMap<>();
            for (int i = 0; i < 150; i++) {
                commitSome(entities, model);
            }
            AtomicBoolean done = new AtomicBoolean();
            CompletableFuture<Void> writer =
                    CompletableFuture.runAsync(
                            () -> {
                                while (!done.get()) {
                                    commitSome(entities, model);
                                }
                            });
            for (int round = 0; round < 10; round++) {
                for (IndexDefinition definition : DEFINITIONS) {
                    entities.database().indexes().ensure(definition);
                }
                for (IndexDefinition definition : DEFINITIONS) {
                    entities.database().indexes().remove(definition);
                }
            }
            DEFINITIONS.forEach(entities.database().indexes()::ensure);
            done.set(true);
            writer.join();
            requireConsistent(entities, model.size());
            Indexes indexes = entities.database().indexes().newest();
            assertThat(indexes.all())
                    .hasSize(DEFINITIONS.size())
                    .allMatch(index -> index.state() == CompositeIndex.State.READABLE);
        }
    }

    @Test
    void theCheckFindsMissingAndSurplusRows() {
        try (Entities entities = new Entities()) {
            entities.put(Entities.entity(Entities.key("A", "x"), "p0", 1));
            byte[] first;
            try (Snapshot snapshot = entities.database().rows().snapshot();
                    RowCursor cursor = snapshot.scan(RowLayout.properties(), Direction.FORWARD)) {
                assertThat(cursor.next()).isTrue();
                first = cursor.key();
            }
            byte[] surplus =
                    RowLayout.propertyRow(
                            "",
                            "A",
                            "p0",
                            SortOrder.ASCENDING,
                            Entities.value(2),
                            KeyCodec.path(Entities.key("A", "x")));
            damage(entities, surplus, new byte[0]);
            assertThat(differences(entities)).singleElement().asString().contains("No entity has");
            damage(entities, surplus, null);
            assertThat(differences(entities)).isEmpty();
            damage(entities, first, null);
            assertThat(differences(entities)).singleElement().asString().contains("lacks");
        }
    }

    private static List<Consistency.Difference> differences(Entities entities) {
        try (Snapshot snapshot = entities.database().rows().snapshot()) {
            return Consistency.check(entities.database(), snapshot, 10).differences();
        }
    }

    private static void damage(Entities entities, byte[] row, byte @Nullable [] value) {
        try (Snapshot snapshot = entities.database().rows().snapshot()) {
            entities.database()
                    .rows()
                    .commit(
                            new CommitRequest(
                                    snapshot.version(),
                                    List.of(),
                                    List.of(),
                                    List.of(row),
                                    List.of(new RowWrite(row, value, snapshot.get(row)))))
                    .join();
        }
    }

    @Test
    void explodingEntitiesAndIndexesAreRefused() {
        try (Entities entities = new Entities()) {
            Object[] many = new Object[200];
            for (int i = 0; i < many.length; i++) {
                many[i] = i;
            }
            Entity exploding = Entities.entity(Entities.key("A", "x"), "p0", many, "p1", many);
            entities.put(exploding);
            entities.put(Entities.entity(Entities.key("A", "y"), "p0", 1, "p1", 2));
            assertThatThrownBy(() -> entities.database().indexes().ensure(DEFINITIONS.getFirst()))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("A:\"x\"")
                    .hasMessageContaining("- kind: A");
            assertThat(entities.database().indexes().newest().all()).isEmpty();
            requireConsistent(entities, 2);
            entities.commit(Entities.delete(exploding.getKey()));
            entities.database().indexes().ensure(DEFINITIONS.getFirst());
            assertThatThrownBy(() -> entities.put(exploding))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("composite indexes");
            requireConsistent(entities, 1);
        }
    }

    @Test
    void declaredIndexesExistWhenADatabaseIsOpened() {
        MemoryStore store = MemoryStore.open();
        try (Entities entities = new Entities(store)) {
            Map<Key, Entity> model = new LinkedHashMap<>();
            for (int i = 0; i < 50; i++) {
                commitSome(entities, model);
            }
            EntityDatabase again = entities.openWith(DEFINITIONS);
            // Opening does not wait for large databases; ensure does.
            DEFINITIONS.forEach(again.indexes()::ensure);
            assertThat(again.indexes().newest().readable("A")).hasSize(2);
            assertThat(again.indexes().newest().readable("B")).hasSize(1);
            requireConsistent(entities, model.size());
        }
    }
}
