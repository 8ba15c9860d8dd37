package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Walks over entities for exports. */
class EntityWalkTest {
    private static final int TASKS = 700;

    private final Entities entities = new Entities();

    @BeforeEach
    void fill() {
        for (int i = 0; i < TASKS; i++) {
            entities.put(entity(key("Task", "t" + i), "text", text(i % 7 == 0 ? 90_000 : 9)));
        }
        for (String namespace : List.of("", "eu", "us")) {
            entities.put(entity(in(namespace, "User", "ann"), "n", 1));
            entities.put(entity(in(namespace, "Users", "all"), "n", 1));
        }
    }

    private static Value text(int length) {
        return Value.newBuilder()
                .setStringValue("x".repeat(length))
                .setExcludeFromIndexes(true)
                .build();
    }

    @AfterEach
    void close() {
        entities.close();
    }

    private static Key in(String namespace, String kind, String name) {
        Key.Builder key = key(kind, name).toBuilder();
        key.getPartitionIdBuilder().setNamespaceId(namespace);
        return key.build();
    }

    @Test
    void everyEntityIsFoundOnceByKindAndNamespaceOrInTotal() {
        try (EntityWalk walk = EntityWalk.open(entities.database())) {
            assertThat(walk.namespaces()).containsExactly("", "eu", "us");
            expect(walk, null, null, TASKS + 6);
            expect(walk, "", null, TASKS + 2);
            expect(walk, "eu", null, 2);
            expect(walk, null, "User", 3);
            expect(walk, "us", "User", 1);
            expect(walk, null, "Task", TASKS);
            expect(walk, "eu", "Task", 0);
            expect(walk, "no", null, 0);
        }
    }

    private static void expect(
            EntityWalk walk, @Nullable String namespace, @Nullable String kind, int expected) {
        List<Key> found = new ArrayList<>();
        walk.forEach(namespace, kind, entity -> found.add(entity.getKey()));
        assertThat(found).doesNotHaveDuplicates().hasSize(expected);
        assertThat(found)
                .allSatisfy(
                        key -> {
                            assertThat(key.getPartitionId().getProjectId()).isEqualTo("p");
                            if (namespace != null) {
                                assertThat(key.getPartitionId().getNamespaceId())
                                        .isEqualTo(namespace);
                            }
                            if (kind != null) {
                                assertThat(key.getPath(0).getKind()).isEqualTo(kind);
                            }
                        });
        assertThat(walk.count(namespace, kind, () -> {})).isEqualTo(expected);
    }

    @Test
    void laterWritesAreNotInAWalk() {
        try (EntityWalk walk = EntityWalk.open(entities.database())) {
            entities.put(entity(key("Later", "l"), "n", 1));
            entities.put(entity(in("eu", "User", "ann"), "n", 2));
            expect(walk, null, null, TASKS + 6);
            List<Long> values = new ArrayList<>();
            walk.forEach(
                    "eu",
                    "User",
                    user -> values.add(user.getPropertiesOrThrow("n").getIntegerValue()));
            assertThat(values).containsExactly(1L);
        }
    }
}
