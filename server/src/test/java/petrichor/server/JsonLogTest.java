package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.server.logs.JsonLogFormat;

class JsonLogTest {
    private static final String TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

    @TempDir Path folder;

    @Test
    void everyLineOfAServerIsAnObjectAndARequestsLineHasItsTrace() throws Exception {
        Path log = folder.resolve("log");
        try (ServerProcess server =
                        ServerProcess.start(ProcessBuilder.Redirect.to(log.toFile()), "-Xmx64m");
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(
                                    URI.create(
                                            "http://127.0.0.1:"
                                                    + server.port()
                                                    + "/v1/projects/p:lookup"))
                            .header("Content-Type", "application/json")
                            .header("traceparent", "00-" + TRACE_ID + "-b7ad6b7169203331-01")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"keys\": [{}]}"))
                            .build();
            assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .isEqualTo(400);
        }
        List<JsonObject> lines = parsed(log);
        for (JsonObject line : lines) {
            assertThat(Instant.parse(line.get("time").getAsString())).isBefore(Instant.now());
            assertThat(line.get("level").getAsString()).isIn("debug", "info", "warn", "error");
            assertThat(line.get("logger").getAsString()).isNotEmpty();
            assertThat(line.get("message").getAsString()).isNotEmpty();
        }
        assertThat(lines)
                .filteredOn(line -> line.has("trace"))
                .singleElement()
                .satisfies(
                        line -> {
                            assertThat(line.get("trace").getAsString()).isEqualTo(TRACE_ID);
                            assertThat(line.get("message").getAsString())
                                    .startsWith("Lookup over rest: INVALID_ARGUMENT after ");
                        });
        assertThat(lines.getLast().get("message").getAsString()).isEqualTo("stopped");
    }

    @Test
    void aStackTraceStaysWithinItsLine() {
        LogRecord event = new LogRecord(Level.SEVERE, "two\nlines and \"quotes\"");
        event.setLoggerName("test");
        event.setThrown(new IllegalStateException("inner\ntext"));
        String line = new JsonLogFormat().format(event);
        assertThat(line).endsWith("}\n").containsOnlyOnce("\n");
        JsonObject object = JsonParser.parseString(line).getAsJsonObject();
        assertThat(object.get("message").getAsString()).isEqualTo("two\nlines and \"quotes\"");
        assertThat(object.get("stack").getAsString())
                .contains("IllegalStateException: inner\ntext")
                .contains("\tat petrichor.server.JsonLogTest");
    }

    private static List<JsonObject> parsed(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .toList();
    }
}
