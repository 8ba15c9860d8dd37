package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Variables and secrets of apps, over HTTP. */
class AppSecretsTest {
    private static final String SECRET = "hidden-4711";
    private static final String PAGE = "/petrichor/v1/apps/demo/variables";

    @TempDir private Path folder;
    private HostingServer server;

    @BeforeEach
    void start() throws IOException {
        server = new HostingServer(folder);
    }

    @AfterEach
    void close() {
        server.close();
    }

    private static Map<String, String> app() {
        return Map.of(
                "app.yaml",
                "runtime: python\nentrypoint: python main.py\n",
                "main.py",
                """
                import http.server, os

                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        text = str(len(os.environ.get("KEY", ""))).encode()
                        self.send_response(200)
                        self.send_header("Content-Length", str(len(text)))
                        self.end_headers()
                        self.wfile.write(text)

                http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
                """);
    }

    private HttpResponse<String> post(String body) throws IOException, InterruptedException {
        return server.send(server.request(PAGE).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private JsonObject change(String body) throws IOException, InterruptedException {
        String lines = post(body).body();
        return JsonParser.parseString(lines.lines().reduce((_, last) -> last).orElse("{}"))
                .getAsJsonObject();
    }

    @Test
    void aSecretReachesInstancesAndNothingElse() throws Exception {
        JsonObject deployed = server.deploy("project=demo&version=v1", app());
        String url = deployed.getAsJsonObject("deployed").get("url").getAsString();
        assertThat(HostingServer.get(url, "/").body()).isEqualTo("0");
        String change = "{\"kind\": \"secret\", \"set\": {\"KEY\": \"" + SECRET + "\"}}";
        assertThat(change(change).has("configured")).isTrue();
        assertThat(HostingServer.get(url, "/").body()).isEqualTo("" + SECRET.length());
        assertThat(server.read(PAGE)).isEqualTo("{\"variables\":{},\"secrets\":[\"KEY\"]}\n");

        server.restart();
        url =
                server.deploy("project=demo&version=v2", app())
                        .getAsJsonObject("deployed")
                        .get("url")
                        .getAsString();
        assertThat(HostingServer.get(url, "/").body()).isEqualTo("" + SECRET.length());
        assertThat(server.read("/petrichor/v1/apps/demo/log")).doesNotContain(SECRET);
        server.close();

        Path key = folder.resolve("data/secrets.key");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
                .isEqualTo("rw-------");
        assertThat(filesWith(SECRET)).isEmpty();
        assertThat(filesWith("KEY")).isNotEmpty();
        server = new HostingServer(folder);
    }

    /** Below the folder of the server's data and apps. */
    private List<Path> filesWith(String text) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .filter(file -> contains(file, text))
                    .toList();
        }
    }

    private static boolean contains(Path file, String text) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void changesAreValidated() throws Exception {
        assertThat(post("{\"kind\": \"public\"}").statusCode()).isEqualTo(400);
        assertThat(post("{}").statusCode()).isEqualTo(400);
        assertThat(post("{\"set\": {\"PORT\": \"1\"}}").statusCode()).isEqualTo(400);
        assertThat(post("{\"set\": {\"A\": [1]}}").statusCode()).isEqualTo(400);
        assertThat(change("{\"set\": {\"A-B\": \"1\"}}").getAsJsonObject("failed").toString())
                .contains("letters, digits");
        assertThat(change("{\"set\": {\"A\": \"1\"}}").has("configured")).isTrue();
        assertThat(change("{\"set\": {\"B\": \"2\"}, \"unset\": [\"A\"]}").has("configured"))
                .isTrue();
        assertThat(server.read(PAGE)).contains("{\"B\":\"2\"}");
    }
}
