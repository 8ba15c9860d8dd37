package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import petrichor.server.config.ServerConfig;
import petrichor.server.config.Settings;

/** A server that hosts apps, its data in a folder, and the requests of an operator. */
final class HostingServer implements AutoCloseable {
    static final String TOKEN = "t0ken";

    private static final Duration LOG_WITHIN = Duration.ofMinutes(2);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Path folder;
    private final Map<String, String> more;
    private TestServer server;

    HostingServer(Path folder) throws IOException {
        this(folder, Map.of());
    }

    private HostingServer(Path folder, Map<String, String> more) throws IOException {
        this.folder = folder;
        this.more = more;
        // The users of builds and instances pass it.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        this.server = open(folder, more);
    }

    /**
     * @param folder for data and apps
     * @param more settings
     */
    static HostingServer in(Path folder, Map<String, String> more) throws IOException {
        return new HostingServer(folder, more);
    }

    private static TestServer open(Path folder, Map<String, String> more) {
        Map<String, String> settings =
                new HashMap<>(
                        Map.of(
                                "PETRICHOR_STORE__DATA",
                                folder.resolve("data").toString(),
                                "PETRICHOR_SERVER__PORT",
                                "0",
                                "PETRICHOR_APPS__PORT",
                                "0",
                                "PETRICHOR_AUTH__TOKEN",
                                TOKEN));
        settings.putAll(more);
        return TestServer.of(
                Server.start(ServerConfig.of(Settings.read(Optional.empty(), settings, Map.of()))));
    }

    void restart() {
        server.close();
        server = open(folder, more);
    }

    int port() {
        return server.port();
    }

    /** A request to the server, not yet with a token. */
    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    /** With the operator's token. */
    HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return HTTP.send(
                request.header("Authorization", "Bearer " + TOKEN).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    String read(String path) throws IOException, InterruptedException {
        return send(request(path)).body();
    }

    HttpRequest.Builder deployment(String query, Map<String, String> files) throws IOException {
        return request("/petrichor/v1/deployments?" + query)
                .header("Content-Type", "application/zip")
                .POST(HttpRequest.BodyPublishers.ofByteArray(zip(files)));
    }

    /** The lines of the answer: events, and the result at last. */
    List<JsonObject> events(String query, Map<String, String> files)
            throws IOException, InterruptedException {
        HttpResponse<String> answer = send(deployment(query, files));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body()
                .lines()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
    }

    JsonObject deploy(String query, Map<String, String> files)
            throws IOException, InterruptedException {
        return events(query, files).getLast();
    }

    /** Changes the app demo. */
    JsonObject change(String body, int status) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                send(
                        request("/petrichor/v1/apps/demo")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(body)));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return status == 200
                ? JsonParser.parseString(answer.body()).getAsJsonObject()
                : new JsonObject();
    }

    /** Asks the only app, which answers at every host. */
    static HttpResponse<String> get(String url, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + URI.create(url).getPort() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    static byte[] zip(Map<String, String> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (Map.Entry<String, String> file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue().getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
        return bytes.toByteArray();
    }

    /** The log of an app when it has this text. */
    String awaitLog(String app, String text) throws IOException, InterruptedException {
        String log = "";
        Instant end = Instant.now().plus(LOG_WITHIN);
        while (!log.contains(text)) {
            assertThat(Instant.now()).as(log).isBefore(end);
            log = send(request("/petrichor/v1/apps/" + app + "/log")).body();
        }
        return log;
    }

    @Override
    public void close() {
        server.close();
    }
}
