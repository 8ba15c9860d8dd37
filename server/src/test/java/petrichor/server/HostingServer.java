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
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A server that hosts apps, with a token and a router on a free port. */
final class HostingServer implements AutoCloseable {
    static final String TOKEN = "t0ken";

    private static final Duration LOG_WITHIN = Duration.ofMinutes(2);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final TestServer server;

    private HostingServer(TestServer server) {
        this.server = server;
    }

    /**
     * @param folder for data and apps
     * @param more settings
     */
    static HostingServer in(Path folder, Map<String, String> more) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
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
        return new HostingServer(
                TestServer.of(
                        Server.start(
                                ServerConfig.of(
                                        Settings.read(Optional.empty(), settings, Map.of())))));
    }

    int port() {
        return server.port();
    }

    /** A request to the server, not yet with a token. */
    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return HTTP.send(
                request.header("Authorization", "Bearer " + TOKEN).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** The last line of the answer. */
    JsonObject deploy(String query, Map<String, String> files)
            throws IOException, InterruptedException {
        HttpResponse<String> answer =
                send(
                        request("/petrichor/v1/deployments?" + query)
                                .header("Content-Type", "application/zip")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(zip(files))));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body().lines().reduce((_, last) -> last).orElse("{}"))
                .getAsJsonObject();
    }

    private static byte[] zip(Map<String, String> files) throws IOException {
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
