package petrichor.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import petrichor.frontends.tuples.wire.GetRequest;
import petrichor.frontends.tuples.wire.GetResponse;

/** Collections of tuples over REST and gRPC, at a real server. */
final class TuplePagesTest {
    private static final String COLLECTIONS =
            "/petrichor/v1/projects/p/databases/(default)/collections";
    private static final String TWEETS = COLLECTIONS + "/tweets";

    /** A response. */
    private record Answer(int status, JsonObject body) {
        String error() {
            return body.getAsJsonObject("error").get("status").getAsString();
        }

        JsonArray list(String name) {
            return body.has(name) ? body.getAsJsonArray(name) : new JsonArray();
        }

        String text(String name) {
            return body.has(name) ? body.get(name).getAsString() : "";
        }
    }

    private static Answer answer(HttpResponse<String> response) {
        assertThat(response.body()).startsWith("{");
        return new Answer(
                response.statusCode(), JsonParser.parseString(response.body()).getAsJsonObject());
    }

    private static Answer post(TestServer server, String path, String body) {
        return answer(server.post(path, body.replace('\'', '"')));
    }

    private static String put(String key, String value, String tags) {
        String encoded = Base64.getEncoder().encodeToString(value.getBytes(UTF_8));
        return "{'put': {'key': '" + key + "', 'value': '" + encoded + "', 'tags': [" + tags + "]}";
    }

    private static void fill(TestServer server) {
        Answer written =
                post(
                        server,
                        TWEETS + ":write",
                        "{'writes': ["
                                + put("ann/1", "one", "'user=ann', 'day=01', 'mention=bob'")
                                + "},"
                                + put("ann/2", "two", "'user=ann', 'day=02', 'hot'")
                                + "},"
                                + put("bob/1", "three", "'user=bob', 'day=02'")
                                + "}]}");
        assertThat(written.status()).as(written.body().toString()).isEqualTo(200);
        assertThat(written.list("outcomes").toString()).contains("CREATED");
    }

    private static Set<String> keys(Answer page) {
        Set<String> keys = new TreeSet<>();
        for (JsonElement tuple : page.list("tuples")) {
            keys.add(tuple.getAsJsonObject().get("key").getAsString());
        }
        return keys;
    }

    @Test
    void tuplesAreWrittenReadFoundAndDeleted() {
        try (TestServer server = TestServer.start()) {
            assertThat(post(server, COLLECTIONS, "{'name': 'tweets'}").status()).isEqualTo(200);
            assertThat(post(server, COLLECTIONS, "{'name': 'tweets'}").error())
                    .isEqualTo("ALREADY_EXISTS");
            fill(server);
            Answer got = post(server, TWEETS + ":get", "{'keys': ['ann/2', 'missing', 'bob/1']}");
            assertThat(keys(got)).containsExactly("ann/2", "bob/1");
            assertThat(
                            new String(
                                    Base64.getDecoder()
                                            .decode(
                                                    got.list("tuples")
                                                            .get(0)
                                                            .getAsJsonObject()
                                                            .get("value")
                                                            .getAsString()),
                                    UTF_8))
                    .isEqualTo("two");
            assertThat(keys(post(server, TWEETS + ":range", "{'prefix': 'ann/'}")))
                    .containsExactly("ann/1", "ann/2");
            String both =
                    "{'all': [{'dimension': 'day', 'range': {'first': '01', 'last': '02'}}],"
                            + " 'any': [{'value': 'hot'}, {'dimension': 'user', 'pattern': 'b*'}]}";
            assertThat(keys(post(server, TWEETS + ":find", both)))
                    .containsExactly("ann/2", "bob/1");
            Answer deleted =
                    post(
                            server,
                            TWEETS + ":deleteByTags",
                            "{'all': [{'dimension': 'user', 'value': 'ann'}]}");
            assertThat(deleted.text("deleted")).isEqualTo("2");
            assertThat(keys(post(server, TWEETS + ":find", "{}"))).containsExactly("bob/1");
            assertThat(post(server, TWEETS + ":deleteByTags", "{}").error())
                    .isEqualTo("INVALID_ARGUMENT");
            assertThat(post(server, COLLECTIONS + "/tweet:find", "{}").body().toString())
                    .contains("did you mean tweets?");
        }
    }

    @Test
    void anAtomicBatchIsRefusedAsAWhole() {
        try (TestServer server = TestServer.start()) {
            post(server, COLLECTIONS, "{'name': 'tweets', 'placement': {'ordered': {}}}");
            fill(server);
            String writes =
                    "'writes': ["
                            + put("ann/9", "nine", "")
                            + "}, "
                            + put("ann/1", "other", "")
                            + ", 'condition': {'absent': true}}]";
            Answer refused = post(server, TWEETS + ":write", "{" + writes + ", 'atomic': true}");
            assertThat(refused.body().has("applied")).isFalse();
            assertThat(refused.list("outcomes").toString())
                    .contains("NOT_ATTEMPTED", "CONDITION_NOT_MET");
            assertThat(keys(post(server, TWEETS + ":get", "{'keys': ['ann/9']}"))).isEmpty();
            Answer partly = post(server, TWEETS + ":write", "{" + writes + "}");
            assertThat(partly.body().get("applied").getAsBoolean()).isTrue();
            assertThat(keys(post(server, TWEETS + ":get", "{'keys': ['ann/9']}"))).hasSize(1);
        }
    }

    @Test
    void thePlacementChangesWhileTuplesAreReadInPages() throws InterruptedException {
        try (TestServer server = TestServer.start()) {
            post(server, COLLECTIONS, "{'name': 'tweets', 'placement': {'ordered': {}}}");
            fill(server);
            Answer page = post(server, TWEETS + ":find", "{'pageSize': 1}");
            List<String> seen = new ArrayList<>(keys(page));
            Answer changed =
                    post(
                            server,
                            TWEETS + ":place",
                            "{'placement': {'tagged': {'dimensions': ['user', 'day']}}}");
            assertThat(changed.status()).as(changed.body().toString()).isEqualTo(200);
            long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            JsonObject now = answer(server.get(TWEETS)).body();
            while (now.has("nextPlacement")) {
                assertThat(System.nanoTime()).isLessThan(end);
                Thread.onSpinWait();
                now = answer(server.get(TWEETS)).body();
            }
            assertThat(now.getAsJsonObject("placement").has("tagged")).isTrue();
            while (!page.text("nextPageToken").isEmpty()) {
                String token = page.text("nextPageToken");
                page = post(server, TWEETS + ":find", "{'pageSize':1,'pageToken':'" + token + "'}");
                assertThat(page.status()).as(page.body().toString()).isEqualTo(200);
                seen.addAll(keys(page));
            }
            assertThat(seen).containsExactlyInAnyOrder("ann/1", "ann/2", "bob/1");
            Answer found =
                    post(
                            server,
                            TWEETS + ":find",
                            "{'all': [{'dimension': 'user', 'value': 'ann'}]}");
            assertThat(keys(found)).containsExactly("ann/1", "ann/2");
            assertThat(found.text("access")).isEqualTo("intervals of the curve");
        }
    }

    @Test
    void grpcReadsTheSameTuplesAndTokensGuardBoth() {
        try (TestServer server = TestServer.start()) {
            post(server, COLLECTIONS, "{'name': 'tweets'}");
            fill(server);
            MethodDescriptor<GetRequest, GetResponse> get =
                    MethodDescriptor.<GetRequest, GetResponse>newBuilder()
                            .setType(MethodDescriptor.MethodType.UNARY)
                            .setFullMethodName("petrichor.tuples.v1.Tuples/Get")
                            .setRequestMarshaller(
                                    ProtoUtils.marshaller(GetRequest.getDefaultInstance()))
                            .setResponseMarshaller(
                                    ProtoUtils.marshaller(GetResponse.getDefaultInstance()))
                            .build();
            GetRequest request =
                    GetRequest.newBuilder()
                            .setProject("p")
                            .setCollection("tweets")
                            .addKeys("ann/1")
                            .build();
            GetResponse response =
                    ClientCalls.blockingUnaryCall(
                            server.channel(), get, CallOptions.DEFAULT, request);
            assertThat(response.getTuples(0).getTagsList())
                    .containsExactly("day=01", "mention=bob", "user=ann");
        }
        try (TestServer server = TestServer.start(config -> config.withToken("secret"))) {
            assertThat(server.get(COLLECTIONS).statusCode()).isEqualTo(401);
            HttpRequest.Builder authorized =
                    server.request(COLLECTIONS).header("Authorization", "Bearer secret");
            assertThat(server.send(authorized).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void databasesOfAProjectAreSeparate() {
        try (TestServer server = TestServer.start()) {
            String other = COLLECTIONS.replace("(default)", "other");
            post(server, other, "{'name': 'tweets'}");
            assertThat(answer(server.get(other)).list("collections")).hasSize(1);
            assertThat(answer(server.get(COLLECTIONS)).list("collections")).isEmpty();
        }
    }

    @Test
    void everyPathIsDescribed() {
        try (TestServer server = TestServer.start()) {
            JsonObject document = answer(server.get("/petrichor/v1/tuples/openapi.json")).body();
            JsonObject paths = document.getAsJsonObject("paths");
            assertThat(paths.keySet()).hasSize(13);
            JsonObject schemas = document.getAsJsonObject("components").getAsJsonObject("schemas");
            for (String part : document.toString().split("\"\\$ref\":\"", -1)) {
                if (part.startsWith("#/components/schemas/")) {
                    String name =
                            part.substring("#/components/schemas/".length(), part.indexOf('"'));
                    assertThat(schemas.has(name)).as(name).isTrue();
                }
            }
        }
    }
}
