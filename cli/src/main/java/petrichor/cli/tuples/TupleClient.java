package petrichor.cli.tuples;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.client.DatabaseName;

/** Client of a server's pages about collections and tuples. Confined to one thread. */
final class TupleClient implements AutoCloseable {
    private static final int PAGE_TUPLES = 1_000;

    private final ServerAddress.Connection connection;
    private final ServerAddress address;
    private final HttpClient client;

    private TupleClient(ServerAddress.Connection connection, ServerAddress address) {
        this.connection = connection;
        this.address = address;
        this.client = ServerPage.client(address.tls());
    }

    static TupleClient of(ServerAddress address) {
        return new TupleClient(address.connect(false), address);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private HttpRequest.Builder at(String below) {
        DatabaseName database = address.databaseName();
        String id = database.database().isEmpty() ? "(default)" : encoded(database.database());
        return ServerPage.request(
                connection.client().address(),
                "/petrichor/v1/projects/"
                        + encoded(database.project())
                        + "/databases/"
                        + id
                        + "/collections"
                        + below,
                address.token(),
                address.tls());
    }

    JsonObject get(String collection) throws InterruptedException {
        return send(at(collection.isEmpty() ? "" : "/" + encoded(collection)).build());
    }

    JsonObject drop(String collection) throws InterruptedException {
        return send(at("/" + encoded(collection)).DELETE().build());
    }

    /**
     * @param verb of the collection; empty to create one
     */
    JsonObject post(String collection, String verb, JsonObject body) throws InterruptedException {
        String path = collection.isEmpty() ? "" : "/" + encoded(collection) + ":" + verb;
        return send(
                at(path).header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build());
    }

    /** Passes on the tuples of all pages, up to a limit; returns how they were found. */
    String pages(
            String collection, String verb, JsonObject body, long limit, Consumer<JsonObject> each)
            throws InterruptedException {
        long left = limit;
        String access = "";
        String token = "";
        do {
            body.addProperty("pageSize", Math.min(left, PAGE_TUPLES));
            body.addProperty("pageToken", token);
            JsonObject page = post(collection, verb, body);
            for (JsonElement tuple : list(page, "tuples")) {
                each.accept(tuple.getAsJsonObject());
                left--;
            }
            access = page.get("access").getAsString();
            token = page.has("nextPageToken") ? page.get("nextPageToken").getAsString() : "";
        } while (!token.isEmpty() && left > 0);
        return access;
    }

    /** The elements of a field; empty if it is absent. */
    static List<JsonElement> list(JsonObject object, String field) {
        JsonArray list = object.getAsJsonArray(field);
        return list == null ? List.of() : list.asList();
    }

    private JsonObject send(HttpRequest request) throws InterruptedException {
        String server = connection.client().address();
        try {
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            @Nullable JsonElement body = JsonParser.parseString(answer.body());
            if (body == null || !body.isJsonObject()) {
                throw ServerPage.noAnswer(server, new IOException(answer.body()));
            }
            JsonObject object = body.getAsJsonObject();
            if (answer.statusCode() == 200) {
                return object;
            }
            throw ServerPage.refusal(server, answer);
        } catch (IOException | JsonParseException failed) {
            throw ServerPage.noAnswer(server, failed);
        }
    }

    @Override
    public void close() {
        client.close();
        connection.close();
    }
}
