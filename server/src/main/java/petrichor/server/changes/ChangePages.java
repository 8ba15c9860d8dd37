package petrichor.server.changes;

import com.google.datastore.v1.Key;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.BiPredicate;
import java.util.function.Function;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.rpc.v1.ChangesConsumer;
import petrichor.rpc.v1.ChangesRequest;
import petrichor.rpc.v1.ChangesResponse;
import petrichor.rpc.v1.DeleteConsumer;
import petrichor.rpc.v1.ListConsumers;
import petrichor.rpc.v1.MoveConsumer;
import petrichor.rpc.v1.ReadChanges;

/**
 * The change feed of a database over HTTP; each path takes {@code project} and {@code database}:
 *
 * <pre>
 *   GET    /petrichor/v1/changes                  server-sent events; see {@link ChangeStream}
 *   GET    /petrichor/v1/changes/consumers        names, positions, limits
 *   POST   /petrichor/v1/changes/consumers/NAME   {"position": P | "oldest" | "newest"}
 *   DELETE /petrichor/v1/changes/consumers/NAME
 * </pre>
 *
 * The stream takes {@code from} (a position, a time, {@code oldest}, {@code newest} or {@code
 * consumer:NAME}; default newest), {@code kind}, {@code namespace}, {@code ancestor} (a key in
 * JSON) and {@code follow=false}, which ends it at the newest commit. Thread-safe.
 */
public final class ChangePages {
    private static final String PATH = "/petrichor/v1/changes";
    private static final String CONSUMERS = PATH + "/consumers";
    private static final String CONSUMER = CONSUMERS + "/{name}";

    /** Of one server; further ones are refused. */
    private static final int STREAMS_MAX = 200;

    private final ChangeService service;
    private final BiPredicate<String, String> exists;
    private final Duration consumerHold;
    private final Semaphore streams = new Semaphore(STREAMS_MAX);

    /**
     * @param exists whether there is a database, by project and id: reading must not create one
     * @param consumerHold how long changes are kept for a consumer
     */
    public ChangePages(
            ChangeService service, BiPredicate<String, String> exists, Duration consumerHold) {
        this.service = service;
        this.exists = exists;
        this.consumerHold = consumerHold;
    }

    public List<Page> pages() {
        return List.of(
                page("GET", PATH, this::stream),
                page("GET", CONSUMERS, this::consumers),
                page("POST", CONSUMER, this::move),
                page("DELETE", CONSUMER, this::delete));
    }

    private static Page page(
            String method, String path, Function<Page.Request, Page.Answer> answer) {
        return new Page(
                method,
                path,
                Page.Access.TOKEN,
                Page.Lane.CALLS,
                request -> {
                    try {
                        return answer.apply(request);
                    } catch (PetrichorException refused) {
                        return Page.Answer.json(status(refused.code()), error(refused) + "\n");
                    }
                });
    }

    static JsonObject error(PetrichorException refused) {
        JsonObject error = new JsonObject();
        error.addProperty("error", refused.getMessage());
        error.addProperty("code", refused.code().name());
        return error;
    }

    private static int status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> 400;
            case UNAUTHENTICATED -> 401;
            case PERMISSION_DENIED -> 403;
            case NOT_FOUND -> 404;
            // The position is no longer kept.
            case FAILED_PRECONDITION -> 410;
            case ALREADY_EXISTS, ABORTED -> 409;
            case RESOURCE_EXHAUSTED -> 429;
            case UNIMPLEMENTED -> 501;
            case UNAVAILABLE, DEADLINE_EXCEEDED -> 503;
            case INTERNAL -> 500;
        };
    }

    /** A request about a database that the caller may access in this role. */
    private ChangesRequest.Builder about(Page.Request request, Role role) {
        String project = request.parameters().getOrDefault("project", "");
        String database = request.parameters().getOrDefault("database", "");
        request.attempt().require(role, project, database);
        String name = EntityDatabases.name(project, database);
        if (!exists.test(project, database)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "There is no database {database}; the first commit creates it.",
                    "database",
                    name);
        }
        return ChangesRequest.newBuilder().setDatabase(name);
    }

    private Page.Answer stream(Page.Request request) {
        ChangesRequest.Builder about = about(request, Role.READ);
        boolean follow = !"false".equals(request.parameters().get("follow"));
        if (!streams.tryAcquire()) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "This server has {streamsMax} streams of changes, the maximum. Close one, or"
                            + " connect to another server.",
                    "streamsMax",
                    STREAMS_MAX);
        }
        boolean open = false;
        try {
            ChangeStream stream =
                    ChangeStream.open(service, about, selection(request), follow, streams::release);
            open = true;
            return Page.Answer.events(stream);
        } finally {
            if (!open) {
                streams.release();
            }
        }
    }

    private static ReadChanges.Builder selection(Page.Request request) {
        ReadChanges.Builder read = ReadChanges.newBuilder();
        String kind = request.parameters().get("kind");
        if (kind != null) {
            read.setKind(kind);
        }
        String namespace = request.parameters().get("namespace");
        if (namespace != null) {
            read.setNamespace(namespace);
        }
        String ancestor = request.parameters().get("ancestor");
        if (ancestor != null) {
            read.setAncestor(key(ancestor).toByteString());
        }
        // A browser that reconnects names the last event that it received.
        String from =
                request.headers()
                        .getOrDefault(
                                "last-event-id",
                                request.parameters().getOrDefault("from", "newest"));
        if (from.startsWith("consumer:")) {
            return read.setConsumer(from.substring("consumer:".length()));
        }
        return switch (from) {
            case "oldest" -> read.setOldest(true);
            case "newest" -> read.setNewest(true);
            case String position -> read.setPosition(position(position));
        };
    }

    private static Key key(String json) {
        Key.Builder key = Key.newBuilder();
        try {
            JsonFormat.parser().merge(json, key);
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.invalid(
                    "The ancestor is not a key in JSON: {reason}",
                    "reason",
                    malformed.getMessage());
        }
        if (key.getPathCount() == 0) {
            throw PetrichorException.invalid("The ancestor is a key without a path.");
        }
        return key.build();
    }

    /** A number, or a time such as 2026-11-28T05:00:00Z. */
    private static long position(String text) {
        try {
            return text.matches("\\d{1,18}")
                    ? Long.parseLong(text)
                    : ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text));
        } catch (DateTimeParseException | ArithmeticException other) {
            throw PetrichorException.invalid(
                    "\"{position}\" is no position: use a number from an earlier event, a time such"
                            + " as 2026-11-28T05:00:00Z, oldest or newest.",
                    "position",
                    text.length() > 100 ? text.substring(0, 100) : text);
        }
    }

    private Page.Answer consumers(Page.Request request) {
        return listed(
                service.ask(
                        about(request, Role.READ)
                                .setListConsumers(ListConsumers.getDefaultInstance())
                                .build()));
    }

    private Page.Answer move(Page.Request request) {
        ChangesRequest.Builder about = about(request, Role.WRITE);
        MoveConsumer.Builder move = MoveConsumer.newBuilder().setName(request.inPath("name"));
        switch (wantedPosition(request)) {
            case "oldest" -> move.setOldest(true);
            case "newest" -> move.setNewest(true);
            case String position -> move.setPosition(position(position));
        }
        return listed(service.ask(about.setMoveConsumer(move).build()));
    }

    private static String wantedPosition(Page.Request request) {
        try {
            return JsonParser.parseString(new String(request.body(), StandardCharsets.UTF_8))
                    .getAsJsonObject()
                    .getAsJsonPrimitive("position")
                    .getAsString();
        } catch (JsonParseException
                | IllegalStateException
                | ClassCastException
                | NullPointerException other) {
            throw PetrichorException.invalid(
                    "The body must be JSON with a position, such as {\"position\": \"oldest\"}.");
        }
    }

    private Page.Answer delete(Page.Request request) {
        return listed(
                service.ask(
                        about(request, Role.WRITE)
                                .setDeleteConsumer(
                                        DeleteConsumer.newBuilder().setName(request.inPath("name")))
                                .build()));
    }

    private Page.Answer listed(ChangesResponse response) {
        JsonArray consumers = new JsonArray();
        for (ChangesConsumer consumer : response.getConsumersList()) {
            JsonObject json = new JsonObject();
            json.addProperty("name", consumer.getName());
            json.addProperty("position", String.valueOf(consumer.getPosition()));
            json.addProperty("moved", ChangeStream.time(consumer.getMovedMicros()));
            json.addProperty(
                    "behindSeconds",
                    Math.max(0, response.getNewest() - consumer.getPosition()) / 1_000_000);
            json.addProperty("lost", consumer.getPosition() < response.getOldest());
            consumers.add(json);
        }
        JsonObject all = new JsonObject();
        all.addProperty("oldest", String.valueOf(response.getOldest()));
        all.addProperty("newest", String.valueOf(response.getNewest()));
        all.addProperty("keptForConsumersSeconds", consumerHold.toSeconds());
        all.add("consumers", consumers);
        return Page.Answer.json(200, all + "\n");
    }
}
