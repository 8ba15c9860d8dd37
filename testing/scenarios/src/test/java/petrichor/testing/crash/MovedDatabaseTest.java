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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.client.DatastoreClient;
import petrichor.coordination.testkit.Wait;
import petrichor.kv.testkit.RealStore;
import petrichor.testing.process.Pause;
import petrichor.testing.process.PetrichorServer;
import petrichor.testing.stores.PackagedStores;

/** Moves a database from RocksDB to PostgreSQL and back, also while the server is killed. */
@Tag("slow")
final class MovedDatabaseTest {
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final String KIND = "City";
    private static final int CITIES = 3_000;
    private static final int BATCH = 500;
    private static final int WRITTEN_BETWEEN = 50;
    private static final double PAUSE_MS_MAX = 1_000;

    @TempDir private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void noRequestFailsWhileADatabaseMovesAndComesBack() throws Exception {
        try (RealStore other = RealStore.start(PackagedStores.deployment("postgresql"), 1);
                PetrichorServer server = server(other.url());
                DatastoreClient client = DatastoreClient.open("localhost", server.port())) {
            fill(client);
            Load load = new Load(client);
            Thread writer = Thread.ofPlatform().start(load);
            ask(server, "start");
            awaitPhase(server, "READY");
            assertThat(server.get("/metrics").body())
                    .contains(
                            "petrichor_migration_phase{database=\""
                                    + Rows.PROJECT
                                    + "\",phase=\"READY\",to=\"other\"} 1.0");
            load.awaitMore();
            assertThat(ask(server, "switch").get("pauseMs").getAsDouble()).isLessThan(PAUSE_MS_MAX);
            load.awaitMore();
            assertThat(ask(server, "reverse").get("pauseMs").getAsDouble())
                    .isLessThan(PAUSE_MS_MAX);
            load.awaitMore();
            ask(server, "reverse");
            load.awaitMore();
            ask(server, "complete");
            Wait.until("the rows are removed", LONG, () -> ask(server, "status").isEmpty());
            load.awaitMore();
            load.running.set(false);
            writer.join();
            assertThat(load.failures).isEmpty();
            load.requireAll(client);
        }
    }

    @Test
    void theMigrationSurvivesAKillInEachPhase() throws Exception {
        try (RealStore other = RealStore.start(PackagedStores.deployment("postgresql"), 1)) {
            int acknowledged = 0;
            try (PetrichorServer server = server(other.url());
                    DatastoreClient client = DatastoreClient.open("localhost", server.port())) {
                fill(client);
                ask(server, "start");
                server.kill();
            }
            String phase = "COPY";
            while (!phase.equals("READY")) {
                try (PetrichorServer server = server(other.url());
                        DatastoreClient client = DatastoreClient.open("localhost", server.port())) {
                    String before = phase;
                    put(client, acknowledged++);
                    Wait.until(
                            "the next phase",
                            LONG,
                            () -> !text(ask(server, "status"), "phase").equals(before));
                    phase = text(ask(server, "status"), "phase");
                    server.kill();
                }
            }
            for (String action : List.of("switch", "reverse", "reverse")) {
                try (PetrichorServer server = server(other.url());
                        DatastoreClient client = DatastoreClient.open("localhost", server.port())) {
                    for (int i = 0; i < WRITTEN_BETWEEN; i++) {
                        put(client, acknowledged++);
                    }
                    Thread killed = Thread.ofPlatform().start(() -> askOrFail(server, action));
                    Pause.of(Duration.ofMillis(acknowledged % 7));
                    server.kill();
                    killed.join();
                }
            }
            try (PetrichorServer server = server(other.url());
                    DatastoreClient client = DatastoreClient.open("localhost", server.port())) {
                assertThat(Rows.query(client, KIND)).hasSize(CITIES);
                assertThat(Rows.query(client, "New")).hasSize(acknowledged);
                JsonObject status = ask(server, "status");
                assertThat(status.get("mismatches").getAsLong()).isZero();
            }
        }
    }

    private void fill(DatastoreClient client) {
        for (int from = 0; from < CITIES; from += BATCH) {
            CommitRequest.Builder commit =
                    CommitRequest.newBuilder()
                            .setProjectId(Rows.PROJECT)
                            .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
            for (int i = from; i < from + BATCH; i++) {
                commit.addMutations(Rows.upsert(Rows.key(KIND, "city" + i), Map.of("n", (long) i)));
            }
            client.commit(commit.build());
        }
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
                        .build());
    }

    /** Writes one entity after the other, and reads each back. */
    private static final class Load implements Runnable {
        final AtomicBoolean running = new AtomicBoolean(true);
        final AtomicInteger written = new AtomicInteger();
        final ConcurrentLinkedQueue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
        private final DatastoreClient client;

        Load(DatastoreClient client) {
            this.client = client;
        }

        @Override
        public void run() {
            while (running.get()) {
                int number = written.get();
                try {
                    put(client, number);
                    assertThat(Rows.lookup(client, List.of(Rows.key("New", "new" + number))))
                            .hasSize(1);
                } catch (RuntimeException failed) {
                    failures.add(failed);
                }
                written.incrementAndGet();
            }
        }

        void awaitMore() {
            int before = written.get();
            Wait.until("more is written", LONG, () -> written.get() >= before + WRITTEN_BETWEEN);
        }

        void requireAll(DatastoreClient reader) {
            assertThat(Rows.query(reader, "New")).hasSize(written.get());
            assertThat(Rows.query(reader, KIND)).hasSize(CITIES);
            assertThat(Rows.query(reader, KIND, "n", 7)).hasSize(1);
        }
    }

    private void awaitPhase(PetrichorServer server, String phase) {
        Wait.until(phase, LONG, () -> text(ask(server, "status"), "phase").equals(phase));
    }

    private static String text(JsonObject answer, String field) {
        return answer.has(field) ? answer.get(field).getAsString() : "";
    }

    private void askOrFail(PetrichorServer server, String action) {
        try {
            ask(server, action);
        } catch (IllegalStateException killed) {
            // The server was killed before it answered.
        }
    }

    private JsonObject ask(PetrichorServer server, String action) {
        JsonObject request = new JsonObject();
        request.addProperty("action", action);
        request.addProperty("project", Rows.PROJECT);
        request.addProperty("to", "other");
        try {
            HttpResponse<String> answer =
                    http.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://localhost:"
                                                            + server.port()
                                                            + "/petrichor/v1/migration"))
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

    private PetrichorServer server(String url) throws IOException {
        Path config =
                Files.writeString(
                        folder.resolve("petrichor.toml"),
                        "[stores.other]\nurl = \"%s\"\n".formatted(url));
        List<String> arguments = new ArrayList<>(List.of("--config", config.toString(), "--data"));
        arguments.add(folder.resolve("data").toString());
        return PetrichorServer.start(
                arguments, ClusterUnderTest.plugins(), folder.resolve("server.log"));
    }
}
