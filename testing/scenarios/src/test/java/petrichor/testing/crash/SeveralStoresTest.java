package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.client.DatastoreClient;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.testkit.RealStore;
import petrichor.testing.process.PetrichorServer;
import petrichor.testing.stores.PackagedStores;

/** Tests a database in PostgreSQL with a kind placed in Redis, while processes are killed. */
@Tag("slow")
final class SeveralStoresTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int PAIRS = 200;

    @TempDir private Path folder;

    @Test
    void aTransactionOverBothStoresSurvivesTheirKill() throws Exception {
        try (RealStore home = RealStore.start(PackagedStores.deployment("postgresql"), 1);
                RealStore photos = RealStore.start(PackagedStores.deployment("redis"), 1)) {
            Path config = config(home.url(), photos.url());
            int acknowledged = 0;
            for (int round = 0; round < 3; round++) {
                try (PetrichorServer server = server(config);
                        DatastoreClient client = DatastoreClient.open("localhost", server.port())) {
                    for (int i = 0; i < PAIRS / 3; i++) {
                        commitPair(client, acknowledged++);
                    }
                    if (round == 1) {
                        photos.kill(1);
                        // A commit reads what it replaces, which is impossible for photos.
                        int refused = acknowledged;
                        assertThatThrownBy(() -> commitPair(client, refused))
                                .hasMessageContaining("redis://")
                                .hasMessageContaining("does not answer");
                        commit(client, Rows.upsert(key("Album", 0), Map.of("n", 0L)));
                        photos.start(1);
                        Wait.until("photos can be read", LONG, () -> photosServe(client));
                    }
                    // Part of it is in the log only.
                    server.kill();
                }
            }
            try (PetrichorServer server = server(config);
                    DatastoreClient client = DatastoreClient.open("localhost", server.port())) {
                for (int number = 0; number < acknowledged; number++) {
                    assertThat(pair(client, number)).as("pair %d", number).hasSize(2);
                }
                assertThat(Rows.query(client, "Photo")).hasSize(acknowledged);
                assertThat(Rows.query(client, "Photo", "n", 7)).hasSize(1);
                assertThat(Rows.query(client, "Album", "n", 7)).hasSize(1);
            }
            Files.writeString(config, "[store]\nurl = \"" + home.url() + "\"\n");
            assertThatThrownBy(() -> server(config).close())
                    .hasMessageContaining("created with another placement");
        }
    }

    private static boolean photosServe(DatastoreClient client) {
        try {
            return Rows.query(client, "Photo").size() > 0;
        } catch (PetrichorException unreachable) {
            return false;
        }
    }

    private static void commitPair(DatastoreClient client, int number) {
        Map<String, Long> numbers = Map.of("n", (long) number);
        commit(
                client,
                Rows.insert(key("Album", number), numbers),
                Rows.insert(key("Photo", number), numbers));
    }

    private static void commit(DatastoreClient client, Mutation... mutations) {
        client.commit(
                CommitRequest.newBuilder()
                        .setProjectId(Rows.PROJECT)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                        .addAllMutations(List.of(mutations))
                        .build());
    }

    private static List<Entity> pair(DatastoreClient client, int number) {
        return Stream.of("Album", "Photo")
                .flatMap(kind -> Rows.lookup(client, List.of(key(kind, number))).values().stream())
                .toList();
    }

    private static Key key(String kind, int number) {
        return Rows.key(kind, kind + number);
    }

    private Path config(String home, String photos) throws IOException {
        return Files.writeString(
                folder.resolve("petrichor.toml"),
                """
                [store]
                url = "%s"
                [stores.photos]
                url = "%s"
                [placement]
                Photo = "photos"
                """
                        .formatted(home, photos));
    }

    private PetrichorServer server(Path config) {
        return PetrichorServer.start(
                List.of("--config", config.toString()),
                ClusterUnderTest.plugins(),
                folder.resolve("server.log"));
    }
}
