package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.CommitRequest;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.client.DatastoreClient;
import petrichor.coordination.testkit.Wait;
import petrichor.testing.process.Pause;
import petrichor.testing.process.PetrichorServer;

/** Two servers, of which one replicates to the other; both are killed again and again. */
@Tag("slow")
final class ReplicaTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final int KILLS = 6;
    private static final int PAUSE_MS_MAX = 700;

    @TempDir private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    /**
     * Each commit gives two entities its number and creates one: nothing is lost, nothing applied
     * twice, and no commit is torn.
     */
    @Test
    void nothingIsLostAndNothingAppliedTwiceWhileBothServersAreKilled() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        Writes writes = new Writes();
        PetrichorServer source = server("source");
        PetrichorServer target = server("target");
        try {
            writes.to(source);
            writes.awaitMore();
            pointTo(target);
            ask(source, "start");
            for (int kill = 0; kill < KILLS; kill++) {
                Pause.of(Duration.ofMillis(random.nextInt(PAUSE_MS_MAX)));
                if (random.nextBoolean()) {
                    source.kill();
                    source = server("source");
                    writes.to(source);
                } else {
                    target.kill();
                    target = server("target");
                    pointTo(target);
                }
                writes.awaitMore();
            }
            writes.stop();
            PetrichorServer at = source;
            Wait.until("seed " + seed + ": the replica follows", LONG, () -> isEqual(at));
            JsonObject switched = ask(source, "switch");
            assertThat(switched.get("pauseMs").getAsDouble()).isPositive();
            try (DatastoreClient former = DatastoreClient.open("localhost", source.port());
                    DatastoreClient replica = DatastoreClient.open("localhost", target.port())) {
                assertThat(names(replica)).as("seed %s", seed).isEqualTo(names(former));
                assertThat(names(replica)).containsAll(writes.acknowledged);
                assertThat(Rows.query(replica, "New", "n", 3)).hasSize(1);
                var pair = Rows.lookup(replica, List.of(Rows.key("P", "a"), Rows.key("P", "b")));
                assertThat(Rows.number(Objects.requireNonNull(pair.get("a")), "n"))
                        .isEqualTo(Rows.number(Objects.requireNonNull(pair.get("b")), "n"));
                // The replica is the primary now.
                put(replica, 1_000_000);
                assertThat(refused(former)).contains("was switched");
            }
        } finally {
            writes.stop();
            source.kill();
            target.kill();
        }
    }

    private static String refused(DatastoreClient client) {
        try {
            put(client, 1_000_001);
            return "";
        } catch (RuntimeException refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    private static List<String> names(DatastoreClient client) {
        return Rows.query(client, "New").stream().map(Rows::name).sorted().toList();
    }

    private static void put(DatastoreClient client, int number) {
        client.commit(
                CommitRequest.newBuilder()
                        .setProjectId(Rows.PROJECT)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                        .addMutations(
                                Rows.upsert(
                                        Rows.key("New", "new" + number),
                                        Map.of("n", (long) number)))
                        .addMutations(Rows.upsert(Rows.key("P", "a"), Map.of("n", (long) number)))
                        .addMutations(Rows.upsert(Rows.key("P", "b"), Map.of("n", (long) number)))
                        .build());
    }

    /** Commits one number after the other; the server changes. */
    private static final class Writes {
        final ConcurrentLinkedQueue<String> acknowledged = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean running = new AtomicBoolean();
        private final AtomicInteger number = new AtomicInteger();
        private Thread thread = new Thread();

        void to(PetrichorServer server) throws InterruptedException {
            stop();
            running.set(true);
            thread = Thread.ofPlatform().start(() -> write(server.port()));
        }

        private void write(int port) {
            try (DatastoreClient client = DatastoreClient.open("localhost", port)) {
                while (running.get()) {
                    int next = number.incrementAndGet();
                    try {
                        put(client, next);
                        acknowledged.add("new" + next);
                    } catch (RuntimeException killed) {
                        // The outcome is unknown.
                        Thread.onSpinWait();
                    }
                }
            }
        }

        void awaitMore() {
            int before = acknowledged.size();
            Wait.until("more is written", LONG, () -> acknowledged.size() > before + 20);
        }

        void stop() throws InterruptedException {
            running.set(false);
            thread.join();
        }
    }

    private boolean isEqual(PetrichorServer source) {
        JsonObject stream =
                ask(source, "status").getAsJsonArray("streams").get(0).getAsJsonObject();
        return stream.has("lagCommits")
                && stream.get("phase").getAsString().equals("FOLLOWING")
                && stream.get("lagCommits").getAsLong() == 0
                && !stream.get("lagMore").getAsBoolean();
    }

    private JsonObject ask(PetrichorServer server, String action) {
        JsonObject request = new JsonObject();
        request.addProperty("action", action);
        request.addProperty("project", Rows.PROJECT);
        request.addProperty("to", "dr");
        request.addProperty("name", "dr");
        try {
            HttpResponse<String> answer =
                    http.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://localhost:"
                                                            + server.port()
                                                            + "/petrichor/v1/replication"))
                                    .POST(HttpRequest.BodyPublishers.ofString(request.toString()))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(answer.body());
            }
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** The source reads the file again for each request. */
    private void pointTo(PetrichorServer target) throws IOException {
        Path next =
                Files.writeString(
                        folder.resolve("next.toml"),
                        "[dr]\nurl = \"http://localhost:%d\"\n".formatted(target.port()));
        var _ = next.toFile().setReadable(false, false);
        var _ = next.toFile().setReadable(true, true);
        Files.move(
                next,
                folder.resolve("targets.toml"),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    private PetrichorServer server(String name) {
        return PetrichorServer.start(
                List.of("--data", folder.resolve(name).toString()),
                Map.of(
                        "PETRICHOR_REPLICATION__TARGETS_FILE",
                        folder.resolve("targets.toml").toString()),
                folder.resolve(name + ".log"));
    }
}
