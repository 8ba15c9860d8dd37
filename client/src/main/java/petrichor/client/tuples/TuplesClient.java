package petrichor.client.tuples;

import com.google.gson.JsonArray;
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
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;

/**
 * The collections of a database, as any server provides them over REST. A call that fails throws a
 * {@link PetrichorException} with the code that the server reported; UNAVAILABLE if it does not
 * answer, after which the outcome of a write is unknown. Nothing is retried. Thread-safe.
 */
public final class TuplesClient implements AutoCloseable {
    /** Mutations per call. */
    public static final int MUTATIONS_MAX = 500;

    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
    private static final Duration CALL_MAX = Duration.ofSeconds(60);

    private final URI server;
    private final DatabaseName database;
    private final String token;
    private final HttpClient client;

    /**
     * @param server such as http://localhost:8081
     * @param token empty if the server requires none
     * @param tls null for the certificates that the Java runtime trusts
     */
    public TuplesClient(URI server, DatabaseName database, String token, @Nullable SSLContext tls) {
        this.server = server;
        this.database = database;
        this.token = token;
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_MAX);
        this.client = (tls == null ? builder : builder.sslContext(tls)).build();
    }

    /** A server without tokens and TLS, such as one on this machine. */
    public static TuplesClient of(String server, String project) {
        return new TuplesClient(URI.create(server), new DatabaseName(project, ""), "", null);
    }

    public List<CollectionState> collections() {
        return list(call(at("")), "collections").stream()
                .map(one -> CollectionState.of(one.getAsJsonObject()))
                .toList();
    }

    /** ALREADY_EXISTS if there is a collection of this name. */
    public CollectionClient create(String name, CollectionPlacement placement) {
        return create(name, placement, true);
    }

    /** As {@link #create(String, CollectionPlacement)}, perhaps without an index of tags. */
    public CollectionClient create(String name, CollectionPlacement placement, boolean tagIndex) {
        JsonObject body = new JsonObject();
        body.addProperty("name", name);
        body.add("placement", placement.json());
        body.addProperty("withoutTagIndex", !tagIndex);
        var _ = post("", body);
        return collection(name);
    }

    /** A collection, which is assumed to exist. */
    public CollectionClient collection(String name) {
        return new CollectionClient(this, name);
    }

    /**
     * Writes tuples of any collections in one commit, all or none: ABORTED if the condition of one
     * is not met.
     *
     * @param mutations at most {@link #MUTATIONS_MAX}
     */
    public List<MutationOutcome> write(List<TupleMutation> mutations) {
        JsonObject answer = write(mutations, true);
        List<MutationOutcome> outcomes = outcomes(answer);
        if (!answer.has("applied") || !answer.get("applied").getAsBoolean()) {
            for (int k = 0; k < outcomes.size(); k++) {
                if (outcomes.get(k).state() == MutationOutcome.State.CONDITION_NOT_MET) {
                    throw PetrichorException.of(
                            ErrorCode.ABORTED,
                            "Nothing was written: the tuple {key} does not meet its condition; its"
                                    + " revision is {revision}.",
                            "key",
                            mutations.get(k).key(),
                            "revision",
                            outcomes.get(k).revision());
                }
            }
        }
        return outcomes;
    }

    /** As {@link #write}, but mutations whose condition is not met are skipped. */
    public List<MutationOutcome> writeEach(List<TupleMutation> mutations) {
        return outcomes(write(mutations, false));
    }

    private JsonObject write(List<TupleMutation> mutations, boolean atomic) {
        JsonArray writes = new JsonArray();
        mutations.forEach(one -> writes.add(one.json()));
        JsonObject body = new JsonObject();
        body.add("writes", writes);
        body.addProperty("atomic", atomic);
        return post(":write", body);
    }

    private static List<MutationOutcome> outcomes(JsonObject answer) {
        List<MutationOutcome> outcomes = new ArrayList<>();
        for (JsonElement one : list(answer, "outcomes")) {
            JsonObject outcome = one.getAsJsonObject();
            outcomes.add(
                    new MutationOutcome(
                            MutationOutcome.State.valueOf(outcome.get("state").getAsString()),
                            outcome.has("revision") ? outcome.get("revision").getAsLong() : 0));
        }
        return outcomes;
    }

    /** The elements of a field; empty if it is absent. */
    static List<JsonElement> list(JsonObject object, String field) {
        JsonArray list = object.getAsJsonArray(field);
        return list == null ? List.of() : list.asList();
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    HttpRequest.Builder at(String below) {
        String name = database.database();
        HttpRequest.Builder request =
                HttpRequest.newBuilder(
                                server.resolve(
                                        "/petrichor/v1/projects/"
                                                + encoded(database.project())
                                                + "/databases/"
                                                + (name.isEmpty() ? "(default)" : encoded(name))
                                                + "/collections"
                                                + below))
                        .timeout(CALL_MAX);
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }

    JsonObject post(String below, JsonObject body) {
        return call(
                at(below)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString())));
    }

    JsonObject call(HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            JsonElement body = JsonParser.parseString(answer.body());
            if (answer.statusCode() == 200 && body.isJsonObject()) {
                return body.getAsJsonObject();
            }
            throw refusal(answer.statusCode(), body);
        } catch (IOException | JsonParseException failed) {
            throw unavailable(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unavailable(interrupted);
        }
    }

    private PetrichorException unavailable(Exception cause) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "{server} does not answer: {reason}",
                "server",
                server,
                "reason",
                String.valueOf(cause.getMessage()));
    }

    private PetrichorException refusal(int status, JsonElement body) {
        if (body instanceof JsonObject object
                && object.get("error") instanceof JsonObject error
                && error.has("status")
                && error.has("message")) {
            try {
                return new PetrichorException(
                        ErrorCode.valueOf(error.get("status").getAsString()),
                        error.get("message").getAsString());
            } catch (IllegalArgumentException unknown) {
                // A code of a newer server.
            }
        }
        return PetrichorException.of(
                status == 503 ? ErrorCode.UNAVAILABLE : ErrorCode.INTERNAL,
                "{server} refuses the call (HTTP {statusCode}): {answer}",
                "server",
                server,
                "statusCode",
                status,
                "answer",
                body.toString());
    }

    static PetrichorException unknown(String what, String name) {
        return PetrichorException.of(
                ErrorCode.UNIMPLEMENTED,
                "This client does not know the {what} {name}; use one of the server's version.",
                "what",
                what,
                "name",
                name);
    }

    @Override
    public void close() {
        client.close();
    }
}
