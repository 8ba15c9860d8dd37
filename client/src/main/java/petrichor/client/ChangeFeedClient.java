package petrichor.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The change feed of a database, as any server provides it: server-sent events. Thread-safe; the
 * commits of one {@link #open} are confined to one thread.
 */
public final class ChangeFeedClient implements AutoCloseable {
    private static final String PATH = "/petrichor/v1/changes";
    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
    private static final Duration CALL_MAX = Duration.ofSeconds(60);
    private static final Duration FOLLOW_MAX = Duration.ofDays(365);

    private final URI server;
    private final DatabaseName database;
    private final String token;
    private final HttpClient client;

    /**
     * @param server such as http://localhost:8081
     * @param token empty if the server requires none
     * @param tls null for the certificates that the Java runtime trusts
     */
    public ChangeFeedClient(
            URI server, DatabaseName database, String token, @Nullable SSLContext tls) {
        this.server = server;
        this.database = database;
        this.token = token;
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_MAX);
        this.client = (tls == null ? builder : builder.sslContext(tls)).build();
    }

    /**
     * Reads commits in order. Reconnects after the last commit when the connection ends.
     *
     * @param retryFor how long a failing server is tried again before the failure is thrown
     */
    public FeedCommits open(FeedSelection selection, Duration retryFor) {
        return new FeedCommits(this, selection, retryFor);
    }

    /** The position after the newest commit. */
    public long newest() {
        return Long.parseLong(call(at("/consumers", "")).get("newest").getAsString());
    }

    /** The stored position of a consumer; empty if it does not exist. */
    public OptionalLong position(String consumer) {
        for (JsonElement one : call(at("/consumers", "")).getAsJsonArray("consumers")) {
            if (one.getAsJsonObject().get("name").getAsString().equals(consumer)) {
                return OptionalLong.of(one.getAsJsonObject().get("position").getAsLong());
            }
        }
        return OptionalLong.empty();
    }

    /** Creates or moves a consumer to a position, a time, oldest or newest. */
    public void move(String consumer, String position) {
        JsonObject body = new JsonObject();
        body.addProperty("position", position);
        var _ =
                call(
                        at("/consumers/" + encoded(consumer), "")
                                .POST(HttpRequest.BodyPublishers.ofString(body.toString())));
    }

    /** NOT_FOUND if it does not exist. */
    public void delete(String consumer) {
        var _ = call(at("/consumers/" + encoded(consumer), "").DELETE());
    }

    private HttpRequest.Builder at(String below, String parameters) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                server.resolve(
                                        PATH
                                                + below
                                                + "?project="
                                                + encoded(database.project())
                                                + "&database="
                                                + encoded(database.database())
                                                + parameters))
                        .timeout(CALL_MAX);
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private JsonObject call(HttpRequest.Builder request) {
        HttpResponse<String> answer = send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw refusal(answer.statusCode(), answer.body());
        }
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    /** The lines of the events after a position; the caller closes the stream. */
    Stream<String> lines(FeedSelection selection, String position) {
        StringBuilder parameters =
                new StringBuilder("&from=" + encoded(position) + "&follow=" + selection.follow());
        selection.kind().ifPresent(kind -> parameters.append("&kind=").append(encoded(kind)));
        selection
                .namespace()
                .ifPresent(name -> parameters.append("&namespace=").append(encoded(name)));
        HttpResponse<Stream<String>> answer =
                send(
                        at("", parameters.toString()).timeout(FOLLOW_MAX),
                        HttpResponse.BodyHandlers.ofLines());
        if (answer.statusCode() != 200) {
            try (Stream<String> text = answer.body()) {
                throw refusal(answer.statusCode(), text.collect(Collectors.joining("\n")));
            }
        }
        return answer.body();
    }

    private <T> HttpResponse<T> send(
            HttpRequest.Builder request, HttpResponse.BodyHandler<T> body) {
        try {
            return client.send(request.build(), body);
        } catch (IOException failed) {
            throw unavailable(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unavailable(interrupted);
        }
    }

    PetrichorException unavailable(Exception cause) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "{server} does not answer: {reason}",
                "server",
                server,
                "reason",
                String.valueOf(cause.getMessage()));
    }

    /** An error that the server reported, as a text or in the form of the feed. */
    PetrichorException refusal(int status, String body) {
        try {
            if (JsonParser.parseString(body) instanceof JsonObject error
                    && error.has("code")
                    && error.has("error")) {
                return new PetrichorException(
                        ErrorCode.valueOf(error.get("code").getAsString()),
                        error.get("error").getAsString());
            }
        } catch (JsonParseException | IllegalArgumentException text) {
            // The answer of another server or an older version.
        }
        return PetrichorException.of(
                status == 503 ? ErrorCode.UNAVAILABLE : ErrorCode.FAILED_PRECONDITION,
                "{server} refuses to show changes (HTTP {statusCode}): {answer}",
                "server",
                server,
                "statusCode",
                status,
                "answer",
                body.strip());
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
