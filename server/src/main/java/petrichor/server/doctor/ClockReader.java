package petrichor.server.doctor;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** Requests the time of servers through {@code GET /version}. */
final class ClockReader {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(3);

    private ClockReader() {}

    /**
     * @param server host:port
     */
    static Optional<ClockCheck.Reading> read(String server) {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + server + "/version"))
                        .timeout(ANSWER_MAX)
                        .build();
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(ANSWER_MAX).build()) {
            Instant asked = Instant.now();
            String answer = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
            Instant answered = Instant.now();
            String said =
                    JsonParser.parseString(answer).getAsJsonObject().get("time").getAsString();
            return Optional.of(
                    new ClockCheck.Reading(server, asked, Instant.parse(said), answered));
        } catch (IOException
                | JsonParseException
                | DateTimeParseException
                | IllegalStateException
                | NullPointerException silent) {
            return Optional.empty();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
