package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryOptions;

/** The change feed over HTTP, at a single server and at the servers of a cluster. */
final class ChangePagesTest {
    private static final String CHANGES = "/petrichor/v1/changes?project=p";

    @Test
    void changesAreStreamedAsTheyAreCommitted() {
        try (TestServer server = TestServer.start()) {
            server.put("p", "a", 1);
            HttpResponse<Stream<String>> stream =
                    server.send(
                            server.request(CHANGES + "&from=oldest"),
                            HttpResponse.BodyHandlers.ofLines());
            assertThat(stream.statusCode()).isEqualTo(200);
            assertThat(stream.headers().firstValue("content-type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
            try (Stream<String> body = stream.body()) {
                Iterator<String> lines = body.iterator();
                assertThat(nextCommit(lines).toString()).contains("insert").contains("\"1\"");
                server.put("p", "a", 2);
                JsonObject update = nextCommit(lines);
                assertThat(update.toString()).contains("update").contains("\"1\"", "\"2\"");
                server.put("p", "b", 3);
                assertThat(position(nextCommit(lines))).isGreaterThan(position(update));
            }
        }
    }

    private static JsonObject nextCommit(Iterator<String> lines) {
        while (true) {
            String line = lines.next();
            if (line.startsWith("data: ")) {
                JsonObject data =
                        JsonParser.parseString(line.substring("data: ".length())).getAsJsonObject();
                if (data.has("entities")) {
                    return data;
                }
            }
        }
    }

    private static long position(JsonObject commit) {
        return commit.get("position").getAsLong();
    }

    private static List<JsonObject> all(TestServer server, String parameters) {
        HttpResponse<String> answer = server.get(CHANGES + "&follow=false" + parameters);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        List<JsonObject> commits = new ArrayList<>();
        for (String line : answer.body().lines().toList()) {
            if (line.startsWith("data: {\"position\"") && line.contains("entities")) {
                commits.add(
                        JsonParser.parseString(line.substring("data: ".length()))
                                .getAsJsonObject());
            }
        }
        return commits;
    }

    @Test
    void kindsAndPositionsSelect() {
        try (TestServer server = TestServer.start()) {
            for (int i = 0; i < 5; i++) {
                server.put("p", "e" + i, i);
            }
            List<JsonObject> commits = all(server, "&from=oldest");
            assertThat(commits).hasSize(5);
            String third = commits.get(2).get("position").getAsString();
            assertThat(all(server, "&from=" + third)).hasSize(2);
            assertThat(all(server, "&from=newest")).isEmpty();
            assertThat(all(server, "&from=oldest&kind=Nothing")).isEmpty();
            assertThat(all(server, "&from=oldest&namespace=other")).isEmpty();
            assertThat(all(server, "&from=oldest&namespace=")).hasSize(5);
            String key =
                    commits.get(1)
                            .getAsJsonArray("entities")
                            .get(0)
                            .getAsJsonObject()
                            .get("key")
                            .toString();
            assertThat(
                            all(
                                    server,
                                    "&from=oldest&ancestor="
                                            + java.net.URLEncoder.encode(
                                                    key, java.nio.charset.StandardCharsets.UTF_8)))
                    .hasSize(1);
        }
    }

    @Test
    void consumersAreStoredListedAndDeleted() {
        try (TestServer server = TestServer.start()) {
            server.put("p", "a", 1);
            server.put("p", "b", 2);
            String first = all(server, "&from=oldest").getFirst().get("position").getAsString();
            String consumer = "/petrichor/v1/changes/consumers/copy?project=p";
            assertThat(server.post(consumer, "{\"position\": \"" + first + "\"}").statusCode())
                    .isEqualTo(200);
            assertThat(server.get("/petrichor/v1/changes/consumers?project=p").body())
                    .contains("\"copy\"", first, "\"lost\":false");
            assertThat(all(server, "&from=consumer:copy")).hasSize(1);
            assertThat(server.get(CHANGES + "&from=consumer:none").statusCode()).isEqualTo(404);
            assertThat(server.send(server.request(consumer).DELETE()).statusCode()).isEqualTo(200);
            assertThat(server.send(server.request(consumer).DELETE()).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void badRequestsAreRefused() {
        try (TestServer server = TestServer.start()) {
            server.put("p", "a", 1);
            assertThat(server.get("/petrichor/v1/changes?project=unused").statusCode())
                    .isEqualTo(404);
            assertThat(server.get("/petrichor/v1/databases").body()).doesNotContain("unused");
            for (String bad :
                    List.of("&from=yesterday", "&from=9000000000000000", "&ancestor=%7B%7D")) {
                assertThat(server.get(CHANGES + bad).statusCode()).as(bad).isEqualTo(400);
            }
            assertThat(
                            server.post("/petrichor/v1/changes/consumers/c?project=p", "[]")
                                    .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void everyServerOfAClusterReadsTheFeedAtTheOwner() {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT)) {
            for (int i = 0; i < 6; i++) {
                cluster.nodes().get(i % 2).server().put("p", "e" + i, i);
            }
            List<JsonObject> expected = all(cluster.nodes().getFirst().server(), "&from=oldest");
            assertThat(expected).hasSize(6);
            assertThat(all(cluster.nodes().getLast().server(), "&from=oldest")).isEqualTo(expected);
        }
    }
}
