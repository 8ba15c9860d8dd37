package petrichor.cli.connection;

import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Reads the JSON pages that a server provides for its operators. */
public final class ServerPage {
    private static final Duration ANSWER_TIME_MAX = Duration.ofSeconds(30);

    private ServerPage() {}

    /**
     * @param server host:port
     * @param token empty for none
     * @param tls null to connect without TLS
     * @param what content of the page, for error messages
     */
    public static JsonObject read(
            String server, String path, String token, @Nullable SSLContext tls, String what)
            throws InterruptedException {
        HttpRequest request = request(server, path, token, tls).build();
        try (HttpClient client = client(tls)) {
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                PetrichorException known = reported(answer.body());
                throw known != null
                        ? known
                        : PetrichorException.of(
                                code(answer.statusCode()),
                                "{server} does not list {content} (HTTP {statusCode}): {answer}",
                                "server",
                                server,
                                "content",
                                what,
                                "statusCode",
                                answer.statusCode(),
                                "answer",
                                answer.body().strip());
            }
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (IOException | JsonParseException failed) {
            throw noAnswer(server, failed);
        }
    }

    /** Sends JSON to a page and returns the response. */
    public static JsonObject change(
            String server, String path, String token, @Nullable SSLContext tls, JsonObject change)
            throws InterruptedException {
        HttpRequest request =
                request(server, path, token, tls)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(change.toString()))
                        .build();
        try (HttpClient client = client(tls)) {
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw refusal(server, answer);
            }
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (IOException | JsonParseException failed) {
            throw noAnswer(server, failed);
        }
    }

    /** The error that a server reported in the form of Google's APIs, or one with its answer. */
    public static PetrichorException refusal(String server, HttpResponse<String> answer) {
        PetrichorException known = reported(answer.body());
        return known != null
                ? known
                : PetrichorException.of(
                        code(answer.statusCode()),
                        "{server} refused the request (HTTP {statusCode}): {answer}",
                        "server",
                        server,
                        "statusCode",
                        answer.statusCode(),
                        "answer",
                        answer.body().strip());
    }

    private static ErrorCode code(int status) {
        return status == 404 ? ErrorCode.UNIMPLEMENTED : ErrorCode.FAILED_PRECONDITION;
    }

    /** Null if the text is not an error in the form of Google's APIs. */
    public static @Nullable PetrichorException reported(String body) {
        try {
            if (!(JsonParser.parseString(body) instanceof JsonObject answer)
                    || !(answer.get("error") instanceof JsonObject error)
                    || !(error.get("status") instanceof JsonPrimitive status)
                    || !(error.get("message") instanceof JsonPrimitive message)) {
                return null;
            }
            return new PetrichorException(
                    ErrorCode.valueOf(status.getAsString()), message.getAsString());
        } catch (JsonParseException | IllegalArgumentException otherText) {
            return null;
        }
    }

    public static HttpRequest.Builder request(
            String server, String path, String token, @Nullable SSLContext tls) {
        URI page = URI.create((tls == null ? "http://" : "https://") + server + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(page).timeout(ANSWER_TIME_MAX);
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return request;
    }

    public static HttpClient client(@Nullable SSLContext tls) {
        HttpClient.Builder connection =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(ANSWER_TIME_MAX);
        if (tls != null) {
            connection.sslContext(tls);
        }
        return connection.build();
    }

    public static PetrichorException noAnswer(String server, Exception failed) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                failed,
                "no answer from {server}; is a server running there? `petrichor up` starts one",
                "server",
                server);
    }
}
