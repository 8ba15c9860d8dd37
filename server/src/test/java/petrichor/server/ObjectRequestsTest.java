package petrichor.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.frontends.access.AuditSettings;
import petrichor.frontends.access.TokenHash;
import petrichor.server.config.ServerConfig;

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
        Files.writeString(
                tokens,
                section("web", "write", "shop")
                        + section("reports", "read", "shop")
                        + section("stock", "admin", "stock"));
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

    private static String section(String name, String role, String project) {
        return "[%s]\nrole = \"%s\"\nprojects = [\"%s\"]\nsha256 = \"%s\"\n"
                .formatted(name, role, project, TokenHash.of(name).hex());
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers)
            throws Exception {
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

    /** Java's client sends POST instead of PATCH. */
    @Test
    void aHeaderMayNameTheMethodPatch() throws Exception {
        upload("a");
        String path = OBJECTS + "/a";
        String patch = "{\"contentType\": \"text/x\"}";
        String[] override = {"X-HTTP-Method-Override", "PATCH"};
        assertThat(sendAs("reports", "POST", path, patch, override).statusCode()).isEqualTo(403);
        assertThat(send("POST", path, patch, override).body())
                .contains("\"contentType\":\"text/x\"");
        assertThat(send("POST", path, "", override[0], "DELETE").statusCode()).isEqualTo(501);
        assertThat(send("GET", path, "", override[0], "DELETE").statusCode()).isEqualTo(200);
        HttpResponse<String> read = send("GET", path, "{\"contentType\": \"text/y\"}", override);
        assertThat(read.body()).as("GET stays GET").contains("\"contentType\":\"text/x\"");
    }

    /** A value of a header field must not begin with a space. */
    @Test
    void attributesMayBeginWithASpace() throws Exception {
        upload("a");
        String patch =
                "{\"contentType\": \" text/x\", \"cacheControl\": \" no-store\","
                        + " \"metadata\": {\"k\": \" v\", \"space\": \" \"}}";
        assertThat(send("PATCH", OBJECTS + "/a", patch).body()).contains("\"k\":\" v\"");
        HttpResponse<String> read = send("GET", OBJECTS + "/a?alt=media", "");
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(read.headers().firstValue("content-type")).contains("text/x");
        assertThat(read.headers().firstValue("cache-control")).contains("no-store");
        assertThat(read.headers().firstValue("x-goog-meta-k")).contains("v");
        HttpResponse<String> typed =
                send("GET", OBJECTS + "/a?alt=media&response-content-type=%20text/y", "");
        assertThat(typed.headers().firstValue("content-type")).contains("text/y");
    }

    /** Node's client does not know the last byte in advance, even if it continues an upload. */
    @Test
    void anUploadMayEndWithTheBody() throws Exception {
        String granule = "x".repeat(256 << 10);
        for (String size : List.of("*", String.valueOf(granule.length() + 4))) {
            String url =
                    send("POST", "/upload" + OBJECTS + "?uploadType=resumable&name=a", "")
                            .headers()
                            .firstValue("location")
                            .orElseThrow();
            String first = "bytes 0-" + (granule.length() - 1) + "/" + size;
            assertThat(send("PUT", url, granule, "Content-Range", first).statusCode())
                    .isEqualTo(308);
            String rest = "bytes " + granule.length() + "-*/" + size;
            assertThat(send("PUT", url, "rest", "Content-Range", rest).statusCode()).isEqualTo(200);
            assertThat(send("GET", "/goods/a", "").body()).isEqualTo(granule + "rest");
        }
    }

    /**
     * Google's API client for Java does this; Content-Range counts bytes before the compression.
     */
    @Test
    void partsOfAnUploadMayBeCompressed() throws Exception {
        String url =
                send("POST", "/upload" + OBJECTS + "?uploadType=resumable&name=a", "")
                        .headers()
                        .firstValue("location")
                        .orElseThrow();
        HttpResponse<String> stored =
                client.send(
                        client.request(url)
                                .PUT(BodyPublishers.ofByteArray(packed(1, "", "")))
                                .header("Authorization", "Bearer web")
                                .header("Content-Encoding", "gzip")
                                .header("Content-Range", "bytes 0-" + ((1 << 20) - 1) + "/*"));
        assertThat(stored.statusCode()).as(stored.body()).isEqualTo(308);
        String last = "bytes " + (1 << 20) + "-*/*";
        assertThat(send("PUT", url, "!", "Content-Range", last).statusCode()).isEqualTo(200);
        assertThat(send("GET", "/goods/a", "").body()).isEqualTo("\0".repeat(1 << 20) + "!");
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
                                "PATCH "
                                        + OBJECTS
                                        + "/a HTTP/1.1\r\nContent-Type: application/json"
                                        + "\r\n\r\n{\"contentType\": \"text/x\"}",
                                "GET "
                                        + OBJECTS
                                        + "/a?ifGenerationMatch="
                                        + generation
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
        assertThat(batch("stock", deletion, "GET /b/goods HTTP/1.1\r\n\r\n"))
                .containsExactly("HTTP/1.1 403 Error", "HTTP/1.1 403 Error");
        assertThat(batch("nobody", deletion).getFirst()).startsWith("401 ");
        String own = deletion.strip() + "\r\nAuthorization: Bearer web\r\n\r\n";
        assertThat(batch("reports", own)).containsExactly("HTTP/1.1 400 Error");
        assertThat(send("GET", OBJECTS + "/a", "").statusCode()).isEqualTo(200);
        assertThat(batch("web", own)).containsExactly("HTTP/1.1 204 OK");
        server.close();
        List<String> deletions =
                Files.readAllLines(audit).stream()
                        .filter(line -> line.contains("\"DELETE " + OBJECTS + "/a\""))
                        .filter(line -> line.contains("\"project\":\"shop\""))
                        .toList();
        assertThat(deletions).hasSize(3);
        assertThat(deletions.get(0)).contains("\"token\":\"reports\"", "PERMISSION_DENIED");
        assertThat(deletions.get(1)).contains("\"token\":\"stock\"", "PERMISSION_DENIED");
        assertThat(deletions.get(2)).contains("\"token\":\"web\"", "\"outcome\":\"OK\"");
    }

    @Test
    void aBatchIsBoundedAndWellFormed() throws Exception {
        upload("a");
        String deletion = "DELETE " + OBJECTS + "/a HTTP/1.1\r\n\r\n";
        String[] many = new String[101];
        Arrays.fill(many, deletion);
        assertThat(batch("web", many).getFirst()).startsWith("400 ").contains("100 requests");
        assertThat(batch("web", deletion, "what").getFirst()).startsWith("400 ");
        String patch = "PATCH " + OBJECTS + "/a HTTP/1.1\r\n\r\n";
        assertThat(batch("web", deletion, patch + " ".repeat(256 << 10)).getFirst())
                .startsWith("400 ")
                .contains("longer than");
        String[] large = new String[45];
        Arrays.fill(large, patch + "{" + " ".repeat(250_000) + "}");
        assertThat(batch("web", large).getFirst()).startsWith("400 ").contains("a batch must not");
        assertThat(batch("web", deletion, "POST /batch/storage/v1 HTTP/1.1\r\n\r\n"))
                .as("a batch in a batch")
                .containsExactly("HTTP/1.1 204 OK", "HTTP/1.1 501 Error");
        upload("a");
        assertThat(send("GET", OBJECTS + "/a", "").statusCode()).isEqualTo(200);
    }

    /** What a small body expands to is bounded as if it had been sent. */
    @Test
    void compressedMetadataIsBounded() throws Exception {
        byte[] packed = packed(64, "--cut\r\nContent-Type: application/json\r\n\r\n", "");
        HttpResponse<String> multipart = uploadPacked("multipart", packed);
        assertThat(multipart.statusCode()).isEqualTo(400);
        assertThat(multipart.body()).contains("longer than 262144 bytes");
        HttpResponse<String> resumable = uploadPacked("resumable", packed);
        assertThat(resumable.statusCode()).isEqualTo(400);
        assertThat(resumable.body()).contains("JSON has more than 262144 bytes");
    }

    @Test
    void compressedContentIsNoBomb() throws Exception {
        String before =
                "--cut\r\nContent-Type: application/json\r\n\r\n{\"name\": \"a\"}"
                        + "\r\n--cut\r\nContent-Type: text/plain\r\n\r\n";
        String after = "\r\n--cut--\r\n";
        HttpResponse<String> refused = uploadPacked("multipart", packed(32, before, after));
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
        assertThat(refused.body()).contains("100 times");
        assertThat(send("GET", OBJECTS + "/a", "").statusCode()).isEqualTo(404);
        HttpResponse<String> small = uploadPacked("multipart", packed(15, before, after));
        assertThat(small.statusCode()).as(small.body()).isEqualTo(200);
        assertThat(send("GET", OBJECTS + "/a", "").body()).contains("\"size\":\"15728640\"");
    }

    private HttpResponse<String> uploadPacked(String uploadType, byte[] packed) throws Exception {
        return client.send(
                client.request("/upload" + OBJECTS + "?uploadType=" + uploadType)
                        .POST(BodyPublishers.ofByteArray(packed))
                        .header("Authorization", "Bearer web")
                        .header("Content-Encoding", "gzip")
                        .header("Content-Type", "multipart/related; boundary=cut"));
    }

    private static byte[] packed(int mebibytes, String before, String after) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream packer = new GZIPOutputStream(packed)) {
            packer.write(before.getBytes(UTF_8));
            for (int at = 0; at < mebibytes; at++) {
                packer.write(new byte[1 << 20]);
            }
            packer.write(after.getBytes(UTF_8));
        }
        return packed.toByteArray();
    }
}
