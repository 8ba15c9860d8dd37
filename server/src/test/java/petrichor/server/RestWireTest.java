package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.rpc.Code;
import com.google.rpc.Status;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RestWireTest {
    private static final String LOOKUP = "/v1/projects/p:lookup";

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void anUnknownFieldIsNamed() {
        assertRefused(server.post(LOOKUP, "{\"kees\": []}"), 400, "INVALID_ARGUMENT", "kees");
    }

    @Test
    void writesOfOneProtocolAreReadByTheOther() {
        HttpResponse<String> committed =
                server.post(
                        "/v1/projects/p:commit",
                        """
                        {"mode": "NON_TRANSACTIONAL", "mutations": [{"upsert": {
                          "key": {"path": [{"kind": "Town", "name": "Ulm"}]},
                          "properties": {"people": {"integerValue": "126000"}}}}]}
                        """);
        assertThat(committed.statusCode()).as(committed.body()).isEqualTo(200);

        Key ulm =
                Key.newBuilder()
                        .addPath(Key.PathElement.newBuilder().setKind("Town").setName("Ulm"))
                        .build();
        LookupResponse overGrpc =
                server.lookup(LookupRequest.newBuilder().setProjectId("p").addKeys(ulm).build());
        assertThat(
                        overGrpc.getFound(0)
                                .getEntity()
                                .getPropertiesOrThrow("people")
                                .getIntegerValue())
                .isEqualTo(126_000);
        HttpResponse<String> overRest =
                server.post(
                        "/v1/projects/p:runQuery",
                        """
                        {"gqlQuery": {"queryString": "SELECT * FROM Town WHERE people > 1000",
                          "allowLiterals": true}}
                        """);
        assertThat(overRest.body()).contains("\"integerValue\": \"126000\"").contains("\"Ulm\"");

        assertThat(server.post("/reset", "").statusCode()).isEqualTo(200);
        assertThat(
                        server.lookup(
                                        LookupRequest.newBuilder()
                                                .setProjectId("p")
                                                .addKeys(ulm)
                                                .build())
                                .getMissingCount())
                .isEqualTo(1);
    }

    @Test
    void brokenJsonIsRefused() {
        assertRefused(
                server.post(LOOKUP, "{\"keys\": ["), 400, "INVALID_ARGUMENT", "LookupRequest");
    }

    @Test
    void tooDeeplyNestedJsonIsRefused() {
        String deep = "{\"keys\":" + "[".repeat(50_000);
        assertRefused(server.post(LOOKUP, deep), 400, "INVALID_ARGUMENT", "LookupRequest");
    }

    @Test
    void theProjectOfPathAndBodyMustAgree() {
        assertRefused(
                server.post(LOOKUP, "{\"projectId\": \"other\"}"),
                400,
                "INVALID_ARGUMENT",
                "other");
    }

    @Test
    void anUnknownMethodIsNotFoundAndTheTextListsTheMethods() {
        assertRefused(server.post("/v1/projects/p:lookUp", "{}"), 404, "NOT_FOUND", "runQuery");
        assertRefused(server.post("/v1/other/p:lookup", "{}"), 404, "NOT_FOUND", "runQuery");
    }

    @Test
    void theApiTakesOnlyPost() {
        assertRefused(server.get(LOOKUP), 400, "INVALID_ARGUMENT", "POST");
    }

    @Test
    void anUnknownContentTypeNamesTheTwoThatAreSpoken() {
        assertRefused(
                server.send(
                        server.request(LOOKUP)
                                .header("Content-Type", "text/xml")
                                .POST(HttpRequest.BodyPublishers.ofString("<a/>"))),
                400,
                "INVALID_ARGUMENT",
                "application/x-protobuf");
    }

    @Test
    void malformedProtobufIsAnsweredWithAProtobufStatus() throws Exception {
        HttpResponse<byte[]> response =
                server.send(
                        server.request(LOOKUP)
                                .header("Content-Type", "application/x-protobuf")
                                .POST(
                                        HttpRequest.BodyPublishers.ofByteArray(
                                                new byte[] {10, 127, 1})),
                        HttpResponse.BodyHandlers.ofByteArray());
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("content-type"))
                .contains("application/x-protobuf");
        assertThat(Status.parseFrom(response.body()).getCode())
                .isEqualTo(Code.INVALID_ARGUMENT_VALUE);
    }

    @Test
    void altChoosesTheAnswersFormat() throws Exception {
        HttpResponse<byte[]> response =
                server.send(
                        server.request(LOOKUP + "?$alt=proto")
                                .header("Content-Type", "application/json")
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"projectId\": \"other\"}")),
                        HttpResponse.BodyHandlers.ofByteArray());
        assertThat(Status.parseFrom(response.body()).getMessage()).contains("other");
        assertRefused(
                server.post(LOOKUP + "?alt=yaml", "{}"), 400, "INVALID_ARGUMENT", "json or proto");
    }

    @Test
    void aZippedRequestIsUnpacked() throws Exception {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
            zip.write("{\"kees\": []}".getBytes(StandardCharsets.UTF_8));
        }
        assertRefused(
                server.send(
                        server.request(LOOKUP)
                                .header("Content-Type", "application/json")
                                .header("Content-Encoding", "gzip")
                                .POST(
                                        HttpRequest.BodyPublishers.ofByteArray(
                                                zipped.toByteArray()))),
                400,
                "INVALID_ARGUMENT",
                "kees");
    }

    @Test
    void aBodyThatDoesNotMatchItsEncodingIsRefused() {
        assertRefused(
                server.send(
                        server.request(LOOKUP)
                                .header("Content-Type", "application/json")
                                .header("Content-Encoding", "gzip")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"keys\": []}"))),
                400,
                "INVALID_ARGUMENT",
                "Content-Encoding");
    }

    @Test
    void requestsSentWithoutWaitingAreAnsweredInOrder() throws Exception {
        String all =
                server.exchange(
                        get("/livez") + get("/version") + get("/nothing", "Connection: close"));
        assertThat(all.split("HTTP/1.1 ")).hasSize(4);
        assertThat(all.indexOf("ok\n")).isLessThan(all.indexOf("petrichor"));
        assertThat(all.indexOf("petrichor")).isLessThan(all.indexOf("404 Not Found"));
    }

    @Test
    void headAnswersWithoutABody() throws Exception {
        assertThat(
                        server.exchange(
                                String.join(
                                        "\r\n",
                                        "HEAD /livez HTTP/1.1",
                                        "Host: localhost",
                                        "Connection: close",
                                        "",
                                        "")))
                .contains("content-length: 3")
                .endsWith("\r\n\r\n");
    }

    @Test
    void invalidHttpIsRefusedAndTheConnectionClosed() throws Exception {
        assertThat(server.exchange("\u0016\u0003\u0001 hello\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(
                        server.exchange(
                                String.join(
                                        "\r\n",
                                        "GET /%zz HTTP/1.1",
                                        "Host: localhost",
                                        "Connection: close",
                                        "",
                                        "")))
                .startsWith("HTTP/1.1 400");
    }

    @Test
    void noAnswerShowsAStackTrace() {
        for (String body : new String[] {"[]", "null", "\"\"", "{\"keys\": 7}", "\u0000"}) {
            assertThat(server.post(LOOKUP, body).body())
                    .doesNotContain("\tat ")
                    .doesNotContain("java.lang");
        }
    }

    private static String get(String path, String... headers) {
        return "GET "
                + path
                + " HTTP/1.1\r\nHost: localhost\r\n"
                + String.join("\r\n", headers)
                + (headers.length == 0 ? "\r\n" : "\r\n\r\n");
    }

    private static void assertRefused(
            HttpResponse<String> response, int status, String code, String text) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        JsonObject error =
                JsonParser.parseString(response.body()).getAsJsonObject().getAsJsonObject("error");
        assertThat(error.get("code").getAsInt()).isEqualTo(status);
        assertThat(error.get("status").getAsString()).isEqualTo(code);
        assertThat(error.get("message").getAsString()).contains(text);
    }
}
