package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.frontends.access.AuditSettings;
import petrichor.frontends.access.TokenHash;

/** Tests requests of Cloud Storage that only some of Google's clients send, on a real server. */
class ObjectRequestsTest {
    private static final String OBJECTS = "/storage/v1/b/goods/o";

    @TempDir private Path folder;
    private Path audit;
    private TestServer server;
    private ObjectsClient client;

    @BeforeEach
    void start() throws Exception {
        audit = folder.resolve("audit.jsonl");
        Path tokens = folder.resolve("tokens.toml");
        Files.writeString(tokens, section("web", "write") + section("reports", "read"));
        Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
        server =
                TestServer.start(
                        config ->
                                config.withAuth(
                                                new ServerConfig.Access(
                                                        Optional.empty(),
                                                        Optional.empty(),
                                                        Optional.of(tokens),
                                                        config.auth().reloadEvery()))
                                        .withLog(
                                                new ServerConfig.Log(
                                                        config.log().format(),
                                                        config.log().level(),
                                                        new AuditSettings(
                                                                AuditSettings.Events.ALL,
                                                                audit,
                                                                1 << 20,
                                                                2),
                                                        config.log().traces())));
        client = new ObjectsClient(server.port());
        assertThat(send("POST", "/storage/v1/b?project=shop", "{\"name\": \"goods\"}").statusCode())
                .isEqualTo(200);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private static String section(String name, String role) {
        return "[%s]\nrole = \"%s\"\nprojects = [\"shop\"]\nsha256 = \"%s\"\n"
                .formatted(name, role, TokenHash.of(name).hex());
    }

    private HttpResponse<String> send(
            String method, String path, String body, String... headers) throws Exception {
        return sendAs("web", method, path, body, headers);
    }

    private HttpResponse<String> sendAs(
            String token, String method, String path, String body, String... headers)
            throws Exception {
        var request =
                client.request(path)
                        .method(method, BodyPublishers.ofString(body))
                        .header("Authorization", "Bearer " + token);
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return client.send(request);
    }

    /** Returns the generation. */
    private String upload(String name) throws Exception {
        HttpResponse<String> uploaded =
                send("POST", "/upload" + OBJECTS + "?uploadType=media&name=" + name, "text");
        assertThat(uploaded.statusCode()).as(uploaded.body()).isEqualTo(200);
        return JsonParser.parseString(uploaded.body())
                .getAsJsonObject()
                .get("generation")
                .getAsString();
    }

    /** Go's client reads by the XML API. */
    @Test
    void readsByTheXmlApiHaveConditions() throws Exception {
        String generation = upload("a");
        for (String header : List.of("generation", "metageneration")) {
            String name = "x-goog-if-" + header + "-match";
            String right = header.equals("generation") ? generation : "1";
            assertThat(send("GET", "/goods/a", "", name, right).body()).isEqualTo("text");
            HttpResponse<String> stale = send("GET", "/goods/a", "", name, "17");
            assertThat(stale.statusCode()).isEqualTo(412);
            assertThat(stale.body()).contains("<Code>PreconditionFailed</Code>");
        }
    }

    /** Node's client omits /storage/v1 if STORAGE_EMULATOR_HOST is set. */
    @Test
    void theJsonApiHasAShorterPathToo() throws Exception {
        upload("a%2Fb");
        assertThat(send("GET", "/b?project=shop", "").body()).contains("\"name\":\"goods\"");
        assertThat(send("GET", "/b/goods", "").body()).contains("\"name\":\"goods\"");
        assertThat(send("GET", "/b/goods/o/a%2Fb?alt=media", "").body()).isEqualTo("text");
        assertThat(send("DELETE", "/b/goods/o/a%2Fb", "").statusCode()).isEqualTo(204);
        HttpResponse<String> missing = send("GET", "/b/goods/o/a%2Fb", "");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body()).contains("\"reason\":\"notFound\"");
    }

    /** The statuses of the answers. */
    private List<String> batch(String token, String... requests) throws Exception {
        StringBuilder body = new StringBuilder();
        for (String request : requests) {
            // Java's client ends lines with two characters, Python's with one.
            body.append("--cut\nContent-Type: application/http\r\nContent-ID: <7>\n\r\n")
                    .append(request)
                    .append("\n");
        }
        HttpResponse<String> answer =
                sendAs(
                        token,
                        "POST",
                        "/batch/storage/v1",
                        body + "--cut--\n",
                        "Content-Type",
                        "multipart/mixed; boundary=cut");
        if (answer.statusCode() != 200) {
            return List.of(answer.statusCode() + " " + answer.body());
        }
        String boundary =
                answer.headers().firstValue("content-type").orElseThrow().replaceFirst(".*=", "");
        assertThat(answer.body())
                .contains("Content-ID: <response-7>")
                .endsWith("--" + boundary + "--\r\n");
        return answer.body().lines().filter(line -> line.startsWith("HTTP/1.1 ")).toList();
    }

    @Test
    void aBatchExecutesEachRequestOnItsOwn() throws Exception {
        String generation = upload("a");
        upload("b");
        assertThat(
                        batch(
                                "web",
                                "DELETE " + OBJECTS + "/missing HTTP/1.1\r\n\r\n",
                                "DELETE http://localhost" + OBJECTS + "/b HTTP/1.1\r\n\r\n",
                                "PATCH " + OBJECTS + "/a HTTP/1.1\r\nContent-Type: application/json"
                                        + "\r\n\r\n{\"contentType\": \"text/x\"}",
                                "GET " + OBJECTS + "/a?ifGenerationMatch=" + generation
                                        + " HTTP/1.1\r\n",
                                "GET " + OBJECTS + "/a?alt=media HTTP/1.1\r\n\r\n"))
                .containsExactly(
                        "HTTP/1.1 404 Error",
                        "HTTP/1.1 204 OK",
                        "HTTP/1.1 200 OK",
                        "HTTP/1.1 200 OK",
                        "HTTP/1.1 400 Error");
        assertThat(send("GET", OBJECTS, "").body())
                .contains("\"contentType\":\"text/x\"")
                .doesNotContain("\"name\":\"b\"");
    }

    @Test
    void aBatchGivesNoRights() throws Exception {
        upload("a");
        String deletion = "DELETE " + OBJECTS + "/a HTTP/1.1\r\n\r\n";
        assertThat(batch("reports", deletion, "GET " + OBJECTS + "/a HTTP/1.1\r\n\r\n"))
                .containsExactly("HTTP/1.1 403 Error", "HTTP/1.1 200 OK");
        assertThat(batch("nobody", deletion).getFirst()).startsWith("401 ");
        server.close();
        assertThat(Files.readString(audit))
                .contains("DELETE " + OBJECTS + "/a\",\"project\":\"shop\"")
                .contains("PERMISSION_DENIED");
    }

    @Test
    void aBatchIsBoundedAndWellFormed() throws Exception {
        upload("a");
        String deletion = "DELETE " + OBJECTS + "/a HTTP/1.1\r\n\r\n";
        String[] many = new String[101];
        Arrays.fill(many, deletion);
        assertThat(batch("web", many).getFirst()).startsWith("400 ").contains("100 requests");
        assertThat(batch("web", deletion, "what").getFirst()).startsWith("400 ");
        assertThat(send("GET", OBJECTS + "/a", "").statusCode()).isEqualTo(200);
    }
}
