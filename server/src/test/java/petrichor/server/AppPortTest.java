package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a deployed app, which has no token, reaches on a server that requires tokens. */
class AppPortTest {
    private static final String QUERY = "{\"query\": {\"kind\": [{\"name\": \"Note\"}]}}";
    private static final String COMMIT =
            """
            {"mode": "NON_TRANSACTIONAL", "mutations": [{"upsert": {
              "key": {"partitionId": {"projectId": "PROJECT"}, "path": [{"kind": "Note", "name": "n"}]},
              "properties": {"text": {"stringValue": "written by PROJECT"}}}}]}
            """;

    @TempDir private Path folder;
    private HostingServer server;
    private String url;
    private int api;

    @BeforeEach
    void deploy() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")));
        server = new HostingServer(folder);
        JsonObject deployed = server.deploy("project=demo&version=v1", app());
        url = deployed.getAsJsonObject("deployed").get("url").getAsString();
        api = Integer.parseInt(HostingServer.get(url, "/port").body());
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    /** Sends what it is asked to. */
    private static Map<String, String> app() {
        return Map.of(
                "app.yaml",
                "runtime: python\nentrypoint: python main.py\n",
                "main.py",
                """
                import http.server, json, os, socket, struct, urllib.parse, urllib.request

                api = os.environ["DATASTORE_EMULATOR_HOST"]

                def call(asked):
                    body = asked.get("body")
                    headers = {"Content-Type": "application/json"}
                    if "token" in asked:
                        headers["Authorization"] = "Bearer " + asked["token"]
                    request = urllib.request.Request(
                        "http://" + asked.get("host", api) + asked["path"],
                        data=None if body is None else body.encode(), headers=headers)
                    try:
                        with urllib.request.urlopen(request, timeout=20) as answer:
                            return answer.status, answer.read().decode()
                    except urllib.error.HTTPError as refused:
                        return refused.code, refused.read().decode()
                    except OSError as unreachable:
                        return 0, str(unreachable)

                def frame(kind, flags, stream, body):
                    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body

                # Sends one gRPC message, and returns the message of the answer; none if the call has failed.
                def grpc(path, message):
                    fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "api"),
                              ("content-type", "application/grpc"), ("te", "trailers")]
                    head = b"".join(bytes([0, len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
                                    for name, value in fields)
                    host, port = api.rsplit(":", 1)
                    with socket.create_connection((host, int(port)), 20) as connection:
                        connection.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + frame(4, 0, 0, b"")
                                           + frame(1, 4, 1, head)
                                           + frame(0, 1, 1, struct.pack(">BI", 0, len(message)) + message))
                        source, answer, ended = connection.makefile("rb"), b"", False
                        while not ended:
                            start = source.read(9)
                            kind, flags = start[3], start[4]
                            body = source.read(int.from_bytes(start[:3], "big"))
                            answer += body if kind == 0 else b""
                            ended = flags & 1 == 1 and kind in (0, 1)
                    return answer[5:]

                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        url = urllib.parse.urlsplit(self.path)
                        if url.path == "/port":
                            text = api.split(":")[1]
                        elif url.path == "/grpc":
                            asked = dict(urllib.parse.parse_qsl(url.query))
                            text = grpc(asked["path"], bytes.fromhex(asked["message"])).hex()
                        elif url.path == "/call":
                            status, body = call(dict(urllib.parse.parse_qsl(url.query)))
                            text = json.dumps({"status": status, "body": body})
                        else:
                            text = "ok"
                        self.send_response(200)
                        self.end_headers()
                        self.wfile.write(text.encode())

                http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
                """);
    }

    private record Called(int status, String body) {}

    private Called call(String... named) throws Exception {
        StringBuilder query = new StringBuilder("/call?");
        for (int i = 0; i < named.length; i += 2) {
            query.append(named[i])
                    .append('=')
                    .append(URLEncoder.encode(named[i + 1], StandardCharsets.UTF_8))
                    .append('&');
        }
        JsonObject answer =
                JsonParser.parseString(HostingServer.get(url, query.toString()).body())
                        .getAsJsonObject();
        return new Called(answer.get("status").getAsInt(), answer.get("body").getAsString());
    }

    private static String commit(String project) {
        return COMMIT.replace("PROJECT", project);
    }

    @Test
    void anAppUsesTheDataOfItsProjectWithoutAToken() throws Exception {
        Called written = call("path", "/v1/projects/demo:commit", "body", commit("demo"));
        assertThat(written.status).as(written.body).isEqualTo(200);
        assertThat(call("path", "/v1/projects/demo:runQuery", "body", QUERY).body)
                .contains("written by demo");
        assertThat(call("path", "/v2/projects/demo/locations/here/queues").status).isEqualTo(200);
    }

    /** As Google's clients do. */
    @Test
    void anAppCallsByGrpcWithoutAToken() throws Exception {
        assertThat(call("path", "/v1/projects/demo:commit", "body", commit("demo")).status)
                .isEqualTo(200);
        RunQueryResponse found = RunQueryResponse.parseFrom(queriedByGrpc("demo"));
        assertThat(found.getBatch().getEntityResultsList())
                .singleElement()
                .asString()
                .contains("written by demo");
        assertThat(queriedByGrpc("other")).as("refused").isEmpty();
    }

    private byte[] queriedByGrpc(String project) throws Exception {
        RunQueryRequest.Builder request = RunQueryRequest.newBuilder().setProjectId(project);
        request.getQueryBuilder().addKindBuilder().setName("Note");
        String answer =
                HostingServer.get(
                                url,
                                "/grpc?path=/google.datastore.v1.Datastore/RunQuery&message="
                                        + HexFormat.of().formatHex(request.build().toByteArray()))
                        .body();
        return HexFormat.of().parseHex(answer);
    }

    @Test
    void anAppDoesNotReachDataOfAnotherProject() throws Exception {
        HttpResponse<String> stored =
                server.send(
                        server.request("/v1/projects/other:commit")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(commit("other"))));
        assertThat(stored.statusCode()).isEqualTo(200);
        for (String token : List.of("", "any", HostingServer.TOKEN)) {
            Called read =
                    call("path", "/v1/projects/other:runQuery", "body", QUERY, "token", token);
            assertThat(read.status).isEqualTo(403);
            assertThat(read.body).contains("app:demo").doesNotContain("written by");
            assertThat(
                            call(
                                            "path",
                                            "/v1/projects/other:commit",
                                            "body",
                                            commit("other"),
                                            "token",
                                            token)
                                    .status)
                    .isEqualTo(403);
        }
        // The project of a key differs from that of the request.
        assertThat(call("path", "/v1/projects/demo:commit", "body", commit("other")).status)
                .isEqualTo(400);
        assertThat(call("path", "/v2/projects/other/locations/here/queues").status).isEqualTo(403);
        assertThat(call("path", "/storage/v1/b?project=other").status).isEqualTo(403);
    }

    @Test
    void thePortForAppsHasNoPageOfOperators() throws Exception {
        for (String path :
                List.of(
                        "/petrichor/v1/apps",
                        "/petrichor/v1/apps/demo",
                        "/petrichor/v1/apps/demo/log",
                        "/petrichor/v1/apps/demo/variables",
                        "/petrichor/v1/tokens",
                        "/petrichor/v1/users",
                        "/petrichor/v1/mail",
                        "/petrichor/v1/jobs",
                        "/petrichor/v1/databases",
                        "/petrichor/v1/support/log",
                        "/metrics",
                        "/version",
                        "/git/demo/info/refs?service=git-receive-pack")) {
            assertThat(call("path", path, "token", HostingServer.TOKEN).status)
                    .as(path)
                    .isEqualTo(404);
        }
        // Cloud Storage takes other paths for objects, which it does not let clients post.
        for (String path : List.of("/petrichor/v1/deployments", "/reset", "/shutdown")) {
            assertThat(call("path", path, "token", HostingServer.TOKEN, "body", "{}").status)
                    .as(path)
                    .isIn(404, 501);
        }
        String operators = "127.0.0.1:" + server.port();
        assertThat(call("host", operators, "path", "/petrichor/v1/apps").status).isIn(0, 401);
    }

    @Test
    void nobodyElseUsesThePortForApps() throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://127.0.0.1:" + api + "/v1/projects/demo:runQuery"))
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer " + HostingServer.TOKEN)
                        .POST(HttpRequest.BodyPublishers.ofString(QUERY))
                        .build();
        HttpResponse<String> answer =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.body()).contains("no instance of an app opened this connection");
    }
}
