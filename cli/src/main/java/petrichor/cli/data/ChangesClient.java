package petrichor.cli.data;

import com.google.datastore.v1.Key;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cli.connection.ServerAddress;
import petrichor.cli.connection.ServerPage;
import petrichor.client.DatabaseName;
import petrichor.entities.KeyText;

/** Client of a server's pages about changes. Confined to one thread. */
final class ChangesClient implements AutoCloseable {
    private static final String PATH = "/petrichor/v1/changes";
    private static final Duration FOLLOW_TIME_MAX = Duration.ofDays(365);

    /** A position is stored at most once in this time, and at the end. */
    private static final long STORE_EVERY_NANOS = 1_000_000_000;

    /**
     * What to read.
     *
     * @param from a position, a time, oldest, newest or consumer:NAME
     */
    record Selection(
            String from, @Nullable String kind, @Nullable String namespace, boolean follow) {}

    /** Receives commits in order. */
    interface Receiver {
        void accept(JsonObject commit);

        /**
         * The position up to which it has done its work for good.
         *
         * @param received the position up to which it has received everything
         */
        String durable(String received);
    }

    private final String server;
    private final DatabaseName database;
    private final String token;
    private final @Nullable SSLContext tls;
    private final HttpClient client;

    private @Nullable String consumer;
    private String position = "";
    private String stored = "";
    private long storedNanos;

    private ChangesClient(
            String server, DatabaseName database, String token, @Nullable SSLContext tls) {
        this.server = server;
        this.database = database;
        this.token = token;
        this.tls = tls;
        this.client = ServerPage.client(tls);
    }

    static ChangesClient of(ServerAddress.Connection connection, ServerAddress address) {
        return new ChangesClient(
                connection.client().address(),
                address.databaseName(),
                address.token(),
                address.tls());
    }

    private HttpRequest.Builder at(String below, String parameters) {
        return ServerPage.request(
                server,
                PATH
                        + below
                        + "?project="
                        + encoded(database.project())
                        + "&database="
                        + encoded(database.database())
                        + parameters,
                token,
                tls);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** The consumers, and the positions that are kept. */
    JsonObject consumers() throws InterruptedException {
        return send(at("/consumers", "").build());
    }

    /** The position of a consumer; empty if it does not exist. */
    OptionalLong position(String name) throws InterruptedException {
        for (JsonElement element : consumers().getAsJsonArray("consumers")) {
            JsonObject one = element.getAsJsonObject();
            if (one.get("name").getAsString().equals(name)) {
                return OptionalLong.of(one.get("position").getAsLong());
            }
        }
        return OptionalLong.empty();
    }

    /** Creates the consumer if it does not exist. */
    void moveConsumer(String name, String to) throws InterruptedException {
        JsonObject body = new JsonObject();
        body.addProperty("position", to);
        var _ =
                send(
                        at("/consumers/" + encoded(name), "")
                                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                                .build());
    }

    void deleteConsumer(String name) throws InterruptedException {
        var _ = send(at("/consumers/" + encoded(name), "").DELETE().build());
    }

    private JsonObject send(HttpRequest request) throws InterruptedException {
        try {
            HttpResponse<String> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw refusal(answer.statusCode(), answer.body());
            }
            return JsonParser.parseString(answer.body()).getAsJsonObject();
        } catch (IOException | JsonParseException failed) {
            throw ServerPage.noAnswer(server, failed);
        }
    }

    private PetrichorException refusal(int status, String body) {
        try {
            return refusal(JsonParser.parseString(body).getAsJsonObject());
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException text) {
            // Without such a page, the server is an older version.
            return PetrichorException.of(
                    status == 404 ? ErrorCode.UNIMPLEMENTED : ErrorCode.FAILED_PRECONDITION,
                    "{server} has no change feed (HTTP {statusCode}): {answer}",
                    "server",
                    server,
                    "statusCode",
                    status,
                    "answer",
                    body.strip());
        }
    }

    private static PetrichorException refusal(JsonObject error) {
        JsonElement text = error.get("error");
        JsonElement code = error.get("code");
        if (text == null || code == null) {
            throw new IllegalArgumentException("not an error of the change feed");
        }
        return new PetrichorException(ErrorCode.valueOf(code.getAsString()), text.getAsString());
    }

    /**
     * Reads commits to the end, or forever.
     *
     * @param storeAs consumer whose position is stored up to where the receiver is durable
     */
    void read(Selection selection, Receiver receiver, @Nullable String storeAs)
            throws InterruptedException {
        consumer = storeAs;
        String parameters = "&from=" + encoded(selection.from) + "&follow=" + selection.follow;
        if (selection.kind != null) {
            parameters += "&kind=" + encoded(selection.kind);
        }
        if (selection.namespace != null) {
            parameters += "&namespace=" + encoded(selection.namespace);
        }
        HttpRequest request = at("", parameters).timeout(FOLLOW_TIME_MAX).build();
        try {
            HttpResponse<Stream<String>> answer =
                    client.send(request, HttpResponse.BodyHandlers.ofLines());
            try (Stream<String> lines = answer.body()) {
                if (answer.statusCode() != 200) {
                    throw refusal(answer.statusCode(), lines.collect(Collectors.joining("\n")));
                }
                follow(lines.iterator(), receiver);
            }
            store(receiver, true);
        } catch (IOException | UncheckedIOException failed) {
            throw ServerPage.noAnswer(server, failed);
        }
    }

    /** An event is a few lines, {@code name: value}; an empty line ends it. */
    private void follow(Iterator<String> lines, Receiver receiver) throws InterruptedException {
        String event = "";
        String id = "";
        while (lines.hasNext()) {
            String line = lines.next();
            if (line.startsWith("event: ")) {
                event = line.substring("event: ".length());
            } else if (line.startsWith("id: ")) {
                id = line.substring("id: ".length());
            } else if (line.startsWith("data: ")) {
                JsonObject data =
                        JsonParser.parseString(line.substring("data: ".length())).getAsJsonObject();
                switch (event) {
                    case "error" -> throw refusal(data);
                    case "commit" -> {
                        receiver.accept(data);
                        position = id;
                    }
                    default -> position = id;
                }
            } else if (line.isEmpty()) {
                store(receiver, false);
            }
        }
    }

    private void store(Receiver receiver, boolean last) throws InterruptedException {
        String name = consumer;
        long now = System.nanoTime();
        boolean due = last || stored.isEmpty() || now - storedNanos > STORE_EVERY_NANOS;
        if (name == null || position.isEmpty() || !due) {
            return;
        }
        String durable = receiver.durable(position);
        if (!durable.isEmpty() && !durable.equals(stored)) {
            moveConsumer(name, durable);
            stored = durable;
            storedNanos = now;
        }
    }

    static String keyText(JsonObject key) {
        Key.Builder parsed = Key.newBuilder();
        try {
            JsonFormat.parser().merge(key.toString(), parsed);
        } catch (InvalidProtocolBufferException malformed) {
            return key.toString();
        }
        return KeyText.of(parsed.build());
    }

    @Override
    public void close() {
        client.close();
    }
}
