package petrichor.testing.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Key;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.client.DatastoreClient;
import petrichor.coordination.testkit.Wait;
import petrichor.testing.process.Pause;
import petrichor.testing.process.PetrichorServer;

/**
 * Kills a server in front of another one in each phase of a move, while clients write, and requires
 * every acknowledged commit at the side that leads at the end.
 */
@Tag("slow")
final class UpstreamKillTest {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final int CITIES = 4_000;
    private static final int BATCH = 500;
    private static final int WRITERS = 3;
    private static final int KEYS = 40;
    private static final int MORE = 40;
    private static final int KILLS_PER_PHASE = 2;

    @TempDir private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    /**
     * Writers that each count up the numbers of their own entities. A commit without a response
     * leaves two possible numbers.
     */
    private static final class Writers implements AutoCloseable {
        private final AtomicBoolean running = new AtomicBoolean(true);
        private final AtomicLong acknowledged = new AtomicLong();
        private final ConcurrentMap<String, Long> least = new ConcurrentHashMap<>();
        private final ConcurrentMap<String, Long> most = new ConcurrentHashMap<>();
        private final List<Thread> threads = new ArrayList<>();
        private volatile int port;

        Writers(int port) {
            this.port = port;
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                threads.add(Thread.ofPlatform().start(() -> write(writer)));
            }
        }

        private void write(int writer) {
            long number = 0;
            while (running.get()) {
                int at = port;
                try (DatastoreClient client = DatastoreClient.open("localhost", at)) {
                    while (running.get() && at == port) {
                        number++;
                        String name = "w" + writer + "-" + number % KEYS;
                        most.put(name, number);
                        client.commit(
                                CommitRequest.newBuilder()
                                        .setProjectId(Rows.PROJECT)
                                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                        .addMutations(
                                                Rows.upsert(
                                                        Rows.key("Counter", name),
                                                        Map.of("n", number)))
                                        .build());
                        least.put(name, number);
                        acknowledged.incrementAndGet();
                    }
                } catch (RuntimeException unanswered) {
                    // The server was killed, or is starting.
                    Pause.of(Duration.ofMillis(20));
                }
            }
        }

        void moveTo(int next) {
            port = next;
        }

        void awaitMore() {
            long before = acknowledged.get();
            Wait.until("more is written", LONG, () -> acknowledged.get() >= before + MORE);
        }

        /** Stops, and requires what was acknowledged last. */
        void requireAll(DatastoreClient reader) {
            close();
            List<String> names = List.copyOf(least.keySet());
            List<Key> keys = names.stream().map(name -> Rows.key("Counter", name)).toList();
            Map<String, Long> found = new HashMap<>();
            Rows.lookup(reader, keys)
                    .forEach((name, entity) -> found.put(name, Rows.number(entity, "n")));
            for (String name : names) {
                assertThat(found.get(name))
                        .as(name)
                        .isBetween(least.get(name), most.getOrDefault(name, 0L));
            }
        }

        @Override
        public void close() {
            running.set(false);
            try {
                for (Thread thread : threads) {
                    thread.join();
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void noAcknowledgedCommitIsLostByAKillInAnyPhase() throws Exception {
        try (PetrichorServer upstream = server("upstream", List.of())) {
            fill(upstream);
            PetrichorServer front = front(upstream);
            try (Writers writers = new Writers(front.port())) {
                for (String phase : List.of("FORWARDING", "COPY", "CATCH_UP", "READY")) {
                    for (int kill = 0; kill < KILLS_PER_PHASE; kill++) {
                        if (phase.equals("COPY") && phase(front).equals("FORWARDING")) {
                            ask(front, "start");
                        } else if (phase.equals("READY")) {
                            awaitPhase(front, "READY");
                        }
                        writers.awaitMore();
                        front = restarted(front, upstream, writers);
                    }
                }
                for (String action : List.of("switch", "reverse", "switch")) {
                    awaitPhase(front, action.equals("switch") ? "READY" : "REVERSIBLE");
                    PetrichorServer asked = front;
                    Thread asking = Thread.ofPlatform().start(() -> askOrFail(asked, action));
                    Pause.of(Duration.ofMillis(5));
                    front = restarted(front, upstream, writers);
                    asking.join();
                    finish(front, action);
                    writers.awaitMore();
                    front = restarted(front, upstream, writers);
                }
                ask(front, "complete");
                writers.awaitMore();
                front = restarted(front, upstream, writers);
                try (DatastoreClient client = DatastoreClient.open("localhost", front.port())) {
                    writers.requireAll(client);
                    assertThat(Rows.query(client, "City")).hasSize(CITIES);
                }
            } finally {
                front.close();
            }
        }
    }

    /** Repeats an action that a kill may have prevented. */
    private void finish(PetrichorServer front, String action) {
        boolean here = action.equals("switch");
        Wait.until(
                action,
                LONG,
                () -> {
                    if (phase(front).equals("REVERSIBLE") == here) {
                        return true;
                    }
                    askOrFail(front, action);
                    return false;
                });
    }

    private PetrichorServer restarted(
            PetrichorServer front, PetrichorServer upstream, Writers writers) {
        front.kill();
        PetrichorServer next = front(upstream);
        writers.moveTo(next.port());
        return next;
    }

    private PetrichorServer front(PetrichorServer upstream) {
        return server("front", List.of("--upstream", "http://localhost:" + upstream.port()));
    }

    private PetrichorServer server(String name, List<String> more) {
        try {
            Path config =
                    Files.writeString(
                            folder.resolve(name + ".toml"), "[upstream]\ncall-timeout = \"10s\"\n");
            List<String> arguments =
                    new ArrayList<>(
                            List.of(
                                    "--config",
                                    config.toString(),
                                    "--data",
                                    folder.resolve(name).toString()));
            arguments.addAll(more);
            return PetrichorServer.start(arguments, Map.of(), folder.resolve(name + ".log"));
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static void fill(PetrichorServer upstream) {
        try (DatastoreClient client = DatastoreClient.open("localhost", upstream.port())) {
            for (int from = 0; from < CITIES; from += BATCH) {
                CommitRequest.Builder commit =
                        CommitRequest.newBuilder()
                                .setProjectId(Rows.PROJECT)
                                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
                for (int i = from; i < from + BATCH; i++) {
                    commit.addMutations(
                            Rows.upsert(Rows.key("City", "city" + i), Map.of("n", (long) i)));
                }
                client.commit(commit.build());
            }
        }
    }

    private void awaitPhase(PetrichorServer server, String phase) {
        Wait.until(phase, LONG, () -> phase(server).equals(phase));
    }

    private String phase(PetrichorServer server) {
        return ask(server, "status").get("phase").getAsString();
    }

    private void askOrFail(PetrichorServer server, String action) {
        try {
            ask(server, action);
        } catch (IllegalStateException killed) {
            // It was killed before it answered, or cannot do this yet.
        }
    }

    private JsonObject ask(PetrichorServer server, String action) {
        JsonObject request = new JsonObject();
        request.addProperty("action", action);
        request.addProperty("project", Rows.PROJECT);
        try {
            HttpResponse<String> answer =
                    http.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://localhost:"
                                                            + server.port()
                                                            + "/petrichor/v1/upstream"))
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
}
