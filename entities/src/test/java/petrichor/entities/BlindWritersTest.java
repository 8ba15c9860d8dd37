package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;
import static petrichor.entities.Entities.upsert;
import static petrichor.entities.Entities.value;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PropertyMask;
import com.google.datastore.v1.PropertyTransform;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class BlindWritersTest {
    private static final int WRITERS = 16;
    private static final int WRITES = 50;

    @Test
    void writersOfTheSameEntitiesNeverFailAndLoseNothing() {
        try (Entities entities = new Entities();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                // Half of them list the two entities in the opposite order.
                boolean swapped = writer % 2 == 0;
                writers.add(
                        CompletableFuture.runAsync(
                                () -> {
                                    for (int i = 0; i < WRITES; i++) {
                                        entities.commit(
                                                increment(swapped ? "a" : "b"),
                                                increment(swapped ? "b" : "a"));
                                    }
                                },
                                threads));
            }
            writers.forEach(CompletableFuture::join);
            for (String name : List.of("a", "b")) {
                Entity counter = entities.find(key("Counter", name));
                assertThat(counter)
                        .isEqualTo(entity(key("Counter", name), "count", WRITERS * WRITES));
            }
        }
    }

    private static Mutation increment(String name) {
        return upsert(entity(key("Counter", name))).toBuilder()
                .setPropertyMask(PropertyMask.newBuilder().addPaths("__key__"))
                .addPropertyTransforms(
                        PropertyTransform.newBuilder().setProperty("count").setIncrement(value(1)))
                .build();
    }
}
