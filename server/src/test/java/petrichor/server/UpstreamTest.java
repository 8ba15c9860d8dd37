package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.client.DatabaseName;
import petrichor.client.DatastoreClient;
import petrichor.server.config.ConfigKey;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** A server in front of another one: calls are forwarded, and databases move. */
final class UpstreamTest {
    private static final String PATH = "/petrichor/v1/upstream";
    private static final DatabaseName NAME = new DatabaseName("p", "");
    private static final long WITHIN_NANOS = 60_000_000_000L;
    private static final int ENTITIES = 700;
    private static final double PAUSE_MS_MAX = 5_000;

    private static TestServer inFrontOf(TestServer upstream, Map<ConfigKey, String> more) {
        Map<ConfigKey, String> keys = new EnumMap<>(ConfigKey.class);
        keys.put(ConfigKey.UPSTREAM_URL, "http://localhost:" + upstream.port());
        keys.put(ConfigKey.UPSTREAM_CALL_TIMEOUT, "1s");
        keys.putAll(more);
        return TestServer.start(
                config -> {
                    ServerConfig with =
                            ServerConfig.of(Settings.read(Optional.empty(), Map.of(), keys));
                    return config.withStore(with.withMemory().store());
                });
    }

    private static TestServer inFrontOf(TestServer upstream) {
        return inFrontOf(upstream, Map.of());
    }

    private static DatastoreClient client(TestServer server) {
        return DatastoreClient.open("localhost", server.port());
    }

    private static HttpResponse<String> post(TestServer server, String action) {
        JsonObject request = new JsonObject();
        request.addProperty("action", action);
        request.addProperty("project", NAME.project());
        return server.post(PATH, request.toString());
    }

    private static JsonObject ask(TestServer server, String action) {
        HttpResponse<String> answer = post(server, action);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private static JsonObject awaited(TestServer server, Predicate<JsonObject> condition) {
        long end = System.nanoTime() + WITHIN_NANOS;
        while (true) {
            JsonObject status = ask(server, "status");
            if (condition.test(status)) {
                return status;
            }
            assertThat(System.nanoTime()).as("%s", status).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    private static Predicate<JsonObject> phase(String wanted) {
        return status -> status.get("phase").getAsString().equals(wanted);
    }

    private static Key key(String kind, String name) {
        return Key.newBuilder()
                .setPartitionId(NAME.partition(""))
                .addPath(Key.PathElement.newBuilder().setKind(kind).setName(name))
                .build();
    }

    private static Entity entity(Key key, long number) {
        return Entity.newBuilder()
                .setKey(key)
                .putProperties("n", Value.newBuilder().setIntegerValue(number).build())
                .build();
    }

    private static Mutation upsert(String kind, String name, long number) {
        return Mutation.newBuilder().setUpsert(entity(key(kind, name), number)).build();
    }

    private static Key put(DatastoreClient to, Mutation... mutations) {
        return to.commit(
                        CommitRequest.newBuilder()
                                .setProjectId(NAME.project())
                                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                .addAllMutations(List.of(mutations))
                                .build())
                .getMutationResults(0)
                .getKey();
    }

    private static void fill(DatastoreClient to) {
        Mutation[] mutations = new Mutation[ENTITIES];
        for (int i = 0; i < ENTITIES; i++) {
            mutations[i] = upsert("City", "city" + i, i);
        }
        put(to, mutations);
    }

    private static boolean exists(DatastoreClient at, Key key) {
        return at.lookup(
                                LookupRequest.newBuilder()
                                        .setProjectId(NAME.project())
                                        .addKeys(key)
                                        .build())
                        .getFoundCount()
                == 1;
    }

    private static QueryResultBatch page(DatastoreClient at, ByteString from, int limit) {
        return at.runQuery(
                        RunQueryRequest.newBuilder()
                                .setProjectId(NAME.project())
                                .setQuery(
                                        Query.newBuilder()
                                                .addKind(
                                                        KindExpression.newBuilder().setName("City"))
                                                .setStartCursor(from)
                                                .setLimit(Int32Value.of(limit)))
                                .build())
                .getBatch();
    }

    /** Creates entities until it is stopped, and reads each back. */
    private static final class Load implements AutoCloseable {
        private static final int MORE = 30;

        private final AtomicBoolean running = new AtomicBoolean(true);
        private final AtomicInteger written = new AtomicInteger();
        private final ConcurrentLinkedQueue<RuntimeException> failures =
                new ConcurrentLinkedQueue<>();
        private final Thread thread;

        Load(DatastoreClient client) {
            this.thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (running.get()) {
                                            write(client, written.get());
                                        }
                                    });
        }

        private void write(DatastoreClient client, int number) {
            try {
                put(client, upsert("New", "new" + number, number));
                if (!exists(client, key("New", "new" + number))) {
                    failures.add(new IllegalStateException("read too little: " + number));
                }
            } catch (RuntimeException failed) {
                failures.add(failed);
            }
            written.incrementAndGet();
        }

        void awaitMore() {
            int before = written.get();
            long end = System.nanoTime() + WITHIN_NANOS;
            while (written.get() < before + MORE) {
                assertThat(System.nanoTime()).isLessThan(end);
                Thread.onSpinWait();
            }
        }

        /** Stops, and requires all entities at this server. */
        void requireAll(DatastoreClient at) {
            close();
            assertThat(failures).isEmpty();
            for (int i = 0; i < written.get(); i++) {
                assertThat(exists(at, key("New", "new" + i))).as("new%d", i).isTrue();
            }
        }

        @Override
        public void close() {
            running.set(false);
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void theUpstreamAnswersBeforeTheMove() {
        try (TestServer upstream = TestServer.start();
                TestServer front = inFrontOf(upstream);
                DatastoreClient there = client(upstream);
                DatastoreClient here = client(front)) {
            put(here, upsert("City", "a", 1));
            assertThat(exists(there, key("City", "a"))).isTrue();
            Mutation insert = Mutation.newBuilder().setInsert(entity(key("City", "a"), 2)).build();
            String refusal = refusal(there, insert);
            assertThat(refusal(here, insert)).isEqualTo(refusal);
            Key incomplete =
                    key("City", "").toBuilder()
                            .clearPath()
                            .addPath(Key.PathElement.newBuilder().setKind("City"))
                            .build();
            Key created = put(here, Mutation.newBuilder().setInsert(entity(incomplete, 3)).build());
            assertThat(exists(there, created)).isTrue();
            assertThat(ask(front, "status").get("phase").getAsString()).isEqualTo("FORWARDING");
            assertThat(post(front, "switch").body()).contains("FAILED_PRECONDITION");
            assertThat(post(upstream, "status").body()).contains("--upstream");
            String begun =
                    JsonParser.parseString(
                                    front.post("/v1/projects/p:beginTransaction", "{}").body())
                            .getAsJsonObject()
                            .get("transaction")
                            .getAsString();
            String commit =
                    "{\"transaction\": \"%s\", \"mutations\": [{\"delete\": {\"path\": [{\"kind\":"
                                    .formatted(begun)
                            + " \"City\", \"name\": \"a\"}]}}]}";
            assertThat(front.post("/v1/projects/p:commit", commit).statusCode()).isEqualTo(200);
            assertThat(exists(there, key("City", "a"))).isFalse();
        }
    }

    private static String refusal(DatastoreClient at, Mutation mutation) {
        try {
            put(at, mutation);
            return "";
        } catch (RuntimeException refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    @Test
    void aDatabaseMovesAndComesBackWhileItIsWritten() {
        try (TestServer upstream = TestServer.start();
                TestServer front = inFrontOf(upstream);
                DatastoreClient there = client(upstream);
                DatastoreClient here = client(front)) {
            fill(there);
            Key allocated =
                    here.allocateIds(
                                    AllocateIdsRequest.newBuilder()
                                            .setProjectId(NAME.project())
                                            .addKeys(
                                                    Key.newBuilder()
                                                            .setPartitionId(NAME.partition(""))
                                                            .addPath(
                                                                    Key.PathElement.newBuilder()
                                                                            .setKind("City")))
                                            .build())
                            .getKeys(0);
            try (Load load = new Load(here)) {
                load.awaitMore();
                assertThat(ask(front, "start").get("phase").getAsString()).isNotEqualTo("READY");
                JsonObject ready = awaited(front, phase("READY"));
                assertThat(ready.get("mismatches").getAsLong()).isZero();
                assertThat(ready.get("comparedEntities").getAsLong())
                        .isGreaterThanOrEqualTo(ENTITIES);
                QueryResultBatch first = page(here, ByteString.EMPTY, 100);
                JsonObject switched = ask(front, "switch");
                assertThat(switched.get("phase").getAsString()).isEqualTo("REVERSIBLE");
                assertThat(switched.get("pauseMs").getAsDouble()).isLessThan(PAUSE_MS_MAX);
                load.awaitMore();
                // A query continues where it began.
                QueryResultBatch second = page(here, first.getEndCursor(), ENTITIES);
                assertThat(first.getEntityResultsCount() + second.getEntityResultsCount())
                        .isGreaterThanOrEqualTo(Math.min(ENTITIES, 300));
                assertThat(second.getEntityResultsList())
                        .extracting(EntityResult::getEntity)
                        .doesNotContain(first.getEntityResults(99).getEntity());
                put(here, Mutation.newBuilder().setDelete(key("City", "city7")).build());
                assertThat(ask(front, "reverse").get("phase").getAsString()).isEqualTo("CATCH_UP");
                assertThat(exists(there, key("City", "city7"))).isFalse();
                load.awaitMore();
                awaited(front, phase("READY"));
                ask(front, "switch");
                load.awaitMore();
                ask(front, "complete");
                load.awaitMore();
                load.requireAll(here);
            }
            put(there, upsert("City", "late", 1));
            assertThat(exists(here, key("City", "late"))).isFalse();
            assertThat(page(here, ByteString.EMPTY, 1).getEntityResultsCount()).isEqualTo(1);
            assertThat(allocated.getPath(0).getId()).isPositive();
        }
    }

    @Test
    void aTransactionEndsWithTheSwitch() {
        try (TestServer upstream = TestServer.start();
                TestServer front = inFrontOf(upstream);
                DatastoreClient there = client(upstream)) {
            put(there, upsert("City", "a", 1));
            ask(front, "start");
            awaited(front, phase("READY"));
            String begun =
                    JsonParser.parseString(
                                    front.post("/v1/projects/p:beginTransaction", "{}").body())
                            .getAsJsonObject()
                            .get("transaction")
                            .getAsString();
            ask(front, "switch");
            String use = "{\"transaction\": \"" + begun + "\"}";
            assertThat(front.post("/v1/projects/p:commit", use).body()).contains("ABORTED");
            assertThat(front.post("/v1/projects/p:rollback", use).statusCode()).isEqualTo(200);
            String retry =
                    "{\"transactionOptions\": {\"readWrite\": {\"previousTransaction\": \"%s\"}}}"
                            .formatted(begun);
            assertThat(front.post("/v1/projects/p:beginTransaction", retry).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void theTokenOfTheFileIsSent(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "token-of-the-upstream\n");
        try (TestServer upstream =
                        TestServer.start(config -> config.withToken("token-of-the-upstream"));
                TestServer front =
                        inFrontOf(
                                upstream, Map.of(ConfigKey.UPSTREAM_TOKEN_FILE, file.toString()));
                TestServer unknown = inFrontOf(upstream);
                DatastoreClient here = client(front);
                DatastoreClient stranger = client(unknown)) {
            put(here, upsert("City", "a", 1));
            assertThat(exists(here, key("City", "a"))).isTrue();
            assertThat(refusal(stranger, upsert("City", "b", 1))).contains("token");
        }
    }

    @Test
    @Tag("slow")
    void aDifferenceIsFoundListedAndCopied() {
        try (TestServer upstream = TestServer.start();
                TestServer front = inFrontOf(upstream);
                DatastoreClient there = client(upstream);
                DatastoreClient here = client(front)) {
            fill(there);
            ask(front, "start");
            awaited(front, phase("READY"));
            // Writes that do not come this way.
            put(there, upsert("City", "city5", -5));
            put(there, Mutation.newBuilder().setDelete(key("City", "city6")).build());
            put(there, upsert("Town", "new", 1));
            ask(front, "verify");
            JsonObject found = awaited(front, status -> status.has("comparedAt"));
            assertThat(found.get("mismatches").getAsLong()).isEqualTo(3);
            assertThat(found.get("mismatching").toString()).contains("city5", "city6", "Town");
            assertThat(post(front, "switch").body()).contains("CATCH_UP");
            ask(front, "verify");
            awaited(front, phase("READY"));
            ask(front, "switch");
            assertThat(exists(here, key("City", "city6"))).isFalse();
            assertThat(exists(here, key("Town", "new"))).isTrue();
        }
    }

    @Test
    @Tag("slow")
    void readsAreComparedOnBothSides() {
        try (TestServer upstream = TestServer.start();
                TestServer front =
                        inFrontOf(upstream, Map.of(ConfigKey.UPSTREAM_SHADOW_READS, "1"));
                DatastoreClient there = client(upstream);
                DatastoreClient here = client(front)) {
            put(there, upsert("City", "a", 1));
            ask(front, "start");
            awaited(front, phase("READY"));
            put(here, upsert("City", "b", 1));
            assertThat(exists(here, key("City", "b"))).isTrue();
            assertThat(page(here, ByteString.EMPTY, 10).getEntityResultsCount()).isEqualTo(2);
            JsonObject equal =
                    awaited(
                            front,
                            status ->
                                    status.getAsJsonObject("shadowReads").get("equal").getAsLong()
                                            >= 2);
            assertThat(equal.getAsJsonObject("shadowReads").get("different").getAsLong()).isZero();
            put(there, upsert("City", "a", 2));
            assertThat(exists(here, key("City", "a"))).isTrue();
            awaited(
                    front,
                    status ->
                            status.getAsJsonObject("shadowReads").get("different").getAsLong()
                                    == 1);
        }
    }

    @Test
    void otherInterfacesWaitForTheSwitchAndOtherDataIsRefused() {
        try (TestServer upstream = TestServer.start();
                TestServer front = inFrontOf(upstream);
                DatastoreClient here = client(front)) {
            put(here, upsert("City", "a", 1));
            CommitRequest direct =
                    CommitRequest.newBuilder()
                            .setProjectId(NAME.project())
                            .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                            .addMutations(upsert("City", "b", 1))
                            .build();
            assertThatThrownBy(() -> front.server().datastore().commit(direct).join())
                    .hasMessageContaining("petrichor upstream switch");
            CommitRequest other = direct.toBuilder().setProjectId("q").build();
            front.server().datastore().commit(withProject(other, "q")).join();
            assertThatThrownBy(() -> here.commit(withProject(other, "q")))
                    .hasMessageContaining("start without --upstream");
            ask(front, "start");
            awaited(front, phase("READY"));
            ask(front, "cancel");
            assertThat(ask(front, "status").get("entities").getAsLong()).isZero();
            assertThat(exists(here, key("City", "a"))).isTrue();
            ask(front, "start");
            awaited(front, phase("READY"));
            Key incomplete =
                    key("City", "a").toBuilder()
                            .clearPath()
                            .addPath(Key.PathElement.newBuilder().setKind("City"))
                            .build();
            CommitRequest malformed =
                    direct.toBuilder()
                            .clearMutations()
                            .addMutations(Mutation.newBuilder().setDelete(incomplete))
                            .build();
            assertThatThrownBy(() -> here.commit(malformed)).isInstanceOf(RuntimeException.class);
            ask(front, "verify");
            awaited(front, phase("READY"));
            ask(front, "switch");
            front.server().datastore().commit(direct).join();
            assertThat(exists(here, key("City", "b"))).isTrue();
        }
    }

    private static CommitRequest withProject(CommitRequest request, String project) {
        Entity entity = request.getMutations(0).getUpsert();
        Key key =
                entity.getKey().toBuilder()
                        .setPartitionId(new DatabaseName(project, "").partition(""))
                        .build();
        return request.toBuilder()
                .setMutations(0, Mutation.newBuilder().setUpsert(entity.toBuilder().setKey(key)))
                .build();
    }
}
