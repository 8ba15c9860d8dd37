package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Examples with Google's clients, deployed to a server that requires tokens, which they lack. */
@Tag("slow")
class DeployedClientsTest {
    private static final Path EXAMPLES = Path.of("../examples");
    private static final Duration WITHIN = Duration.ofMinutes(1);

    @TempDir private Path folder;
    private HostingServer server;

    @BeforeEach
    void open() throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")));
        server = new HostingServer(folder);
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    private String deployed(String example) throws Exception {
        Map<String, String> files = new LinkedHashMap<>();
        Path root = EXAMPLES.resolve(example);
        try (Stream<Path> all = Files.walk(root)) {
            for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
                String name = root.relativize(file).toString();
                if (!name.startsWith("node_modules/") && !name.startsWith("target/")) {
                    files.put(name, Files.readString(file));
                }
            }
        }
        List<JsonObject> events = server.events("project=demo&version=v1", files);
        JsonObject last = events.getLast();
        assertThat(last.has("deployed")).as(events.toString()).isTrue();
        return "http://127.0.0.1:"
                + URI.create(last.getAsJsonObject("deployed").get("url").getAsString()).getPort();
    }

    private static HttpResponse<String> post(String url, String type, String body)
            throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(url))
                                .header("Content-Type", type)
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** Node's clients of Datastore, Cloud Storage and Cloud Tasks. */
    @Test
    void notesAreStoredAndTheirWordsCountedByATask() throws Exception {
        String url = deployed("notes");
        HttpResponse<String> added = post(url + "/notes", "text/plain", "three short words");
        assertThat(added.statusCode()).as(added.body()).isEqualTo(201);
        Instant end = Instant.now().plus(WITHIN);
        String listed = "";
        while (!listed.contains("\"words\":3")) {
            assertThat(Instant.now()).as(listed).isBefore(end);
            listed = HostingServer.get(url, "/notes").body();
        }
        String id = JsonParser.parseString(added.body()).getAsJsonObject().get("id").getAsString();
        assertThat(HostingServer.get(url, "/notes/" + id).body()).isEqualTo("three short words");
    }

    /** Java's client of Datastore. */
    @Test
    void votesAreCountedInTransactions() throws Exception {
        String url = deployed("polls");
        String form = "application/x-www-form-urlencoded";
        for (String choice : List.of("soup", "bread", "soup")) {
            assertThat(post(url + "/lunch", form, "choice=" + choice).statusCode()).isEqualTo(200);
        }
        assertThat(HostingServer.get(url, "/lunch").body()).isEqualTo("bread: 1\nsoup: 2\n");
    }
}
