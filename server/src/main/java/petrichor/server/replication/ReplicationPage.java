package petrichor.server.replication;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.Page;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.movement.replication.ReplicationStream;
import petrichor.movement.replication.RowSelection;
import petrichor.rpc.v1.PromoteReplica;
import petrichor.rpc.v1.ReplicaSelection;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.transactions.Databases;

/**
 * Replicates databases to other deployments, for {@code petrichor replicate}: {@code POST
 * /petrichor/v1/replication} takes
 *
 * <pre>
 *   {"action": "plan" | "start" | "status" | "pause" | "resume" | "stop" | "switch" | "reopen" |
 *              "promote",
 *    "project": P, "database": D, "name": of the stream,
 *    "to": section of the file of targets, "targetProject": P, "targetDatabase": D,
 *    "kinds": [], "namespaces": [], "masks": []}
 * </pre>
 *
 * The caller needs the role admin for the database, and for a database of the name of the target:
 * the token of the target may have rights that the caller does not have. Thread-safe.
 */
public final class ReplicationPage implements AutoCloseable {
    private static final String PATH = "/petrichor/v1/replication";
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);
    private static final Duration SWITCH_MAX = Duration.ofSeconds(60);
    private static final double NANOS_PER_MILLI = 1e6;

    private final ReplicationOwner owner;
    private final Predicate<String> exists;
    private final TargetsFile targets;
    private final ReplicationStreams streams;
    private final Supplier<String> address;

    /**
     * @param exists whether there is a database
     * @param databases of the store, whichever server owns them
     * @param targets the file of deployments to which databases may be replicated
     * @param address of this server, for messages of replicas
     * @param alone whether this server belongs to no cluster
     */
    public ReplicationPage(
            ReplicationOwner owner,
            Predicate<String> exists,
            Supplier<Databases> databases,
            Optional<Path> targets,
            Supplier<String> address,
            boolean alone) {
        this.owner = owner;
        this.exists = exists;
        this.targets = new TargetsFile(targets);
        this.streams = new ReplicationStreams(databases, owner, this.targets, alone);
        this.address = address;
    }

    public List<Page> pages() {
        return List.of(
                new ReplicaPage(owner, exists).page(),
                new Page("POST", PATH, Page.Access.TOKEN, Page.Lane.CALLS, this::answer));
    }

    /** Runs streams from now on. */
    public void start() {
        streams.start();
    }

    public MetricSnapshots metrics() {
        return streams.metrics();
    }

    private Page.Answer answer(Page.Request request) {
        try {
            JsonObject asked = parsed(request.body());
            String project = text(asked, "project");
            String database = text(asked, "database");
            if (!text(asked, "targetProject").isEmpty()) {
                request.attempt()
                        .require(
                                Role.ADMIN,
                                text(asked, "targetProject"),
                                text(asked, "targetDatabase"));
            }
            request.attempt().require(Role.ADMIN, project, database);
            String name = EntityDatabases.name(project, database);
            if (!exists.test(name)) {
                throw PetrichorException.of(
                        ErrorCode.NOT_FOUND,
                        "There is no database {database}; the first commit creates it.",
                        "database",
                        name);
            }
            return Page.Answer.json(200, performed(name, asked) + "\n");
        } catch (PetrichorException refused) {
            JsonObject error = new JsonObject();
            error.addProperty("status", refused.code().name());
            error.addProperty("message", refused.getMessage());
            JsonObject body = new JsonObject();
            body.add("error", error);
            return Page.Answer.json(
                    refused.code() == ErrorCode.UNAVAILABLE ? 503 : 400, body + "\n");
        }
    }

    private static JsonObject parsed(byte[] body) {
        try {
            if (JsonParser.parseString(new String(body, StandardCharsets.UTF_8))
                    instanceof JsonObject object) {
                return object;
            }
        } catch (JsonParseException malformed) {
            // The same answer as for other JSON.
        }
        throw PetrichorException.invalid("The body must be a JSON object with an action.");
    }

    private static String text(JsonObject asked, String field) {
        return asked.get(field) instanceof JsonPrimitive value ? value.getAsString() : "";
    }

    private static List<String> texts(JsonObject asked, String field) {
        return asked.get(field) instanceof JsonArray array
                        && array.asList().stream().allMatch(JsonElement::isJsonPrimitive)
                ? StreamState.texts(array)
                : List.of();
    }

    private JsonObject performed(String database, JsonObject asked) {
        String action = text(asked, "action");
        switch (action) {
            case "plan" -> {
                return plan(wanted(database, asked));
            }
            case "start" -> streams.add(started(wanted(database, asked)));
            case "status" -> {}
            case "pause" -> streams.pause(streams.find(database, text(asked, "name")), true);
            case "resume" -> streams.pause(streams.find(database, text(asked, "name")), false);
            case "stop" -> stop(streams.find(database, text(asked, "name")));
            case "switch" -> {
                return switched(streams.find(database, text(asked, "name")));
            }
            case "reopen" -> reopen(streams.find(database, text(asked, "name")));
            case "promote" -> {
                return promoted(database);
            }
            default ->
                    throw PetrichorException.invalid(
                            "A replication has no action \"{action}\".", "action", action);
        }
        return status(database);
    }

    private StreamState wanted(String database, JsonObject asked) {
        String to = text(asked, "to");
        String name = text(asked, "name").isEmpty() ? to : text(asked, "name");
        if (!name.matches("[a-z][a-z0-9-]{0,39}")) {
            throw PetrichorException.invalid(
                    "\"{name}\" cannot name a replication: use 1 to 40 of a-z, 0-9 and -, starting"
                            + " with a letter.",
                    "name",
                    name);
        }
        var _ = targets.target(to);
        ReplicaSelection selection =
                ReplicaSelection.newBuilder()
                        .addAllKinds(texts(asked, "kinds"))
                        .addAllNamespaces(texts(asked, "namespaces"))
                        .addAllMasks(texts(asked, "masks"))
                        .build();
        var _ = new RowSelection(selection);
        String project = text(asked, "targetProject");
        String target =
                project.isEmpty()
                        ? database
                        : EntityDatabases.name(project, text(asked, "targetDatabase"));
        return new StreamState(
                new ReplicationStream(
                        UUID.randomUUID().toString(),
                        name,
                        database,
                        target,
                        database + " at " + address.get(),
                        selection),
                to,
                false,
                Optional.empty());
    }

    /** A target that cannot be used is reported at once, not in the status. */
    private StreamState started(StreamState state) {
        try (TargetClient target = streams.target(state, ANSWER_MAX)) {
            var _ = streams.link(state, target).describeTarget();
        }
        return state;
    }

    private JsonObject plan(StreamState state) {
        try (TargetClient target = streams.target(state, ANSWER_MAX)) {
            return new ReplicationEstimate(streams.link(state, target)).json(state.target());
        }
    }

    private void stop(StreamState state) {
        try (TargetClient target = streams.target(state, ANSWER_MAX)) {
            streams.link(state, target).requireNoSwitch();
            streams.remove(state);
            streams.link(state, target).dropConsumer();
        }
    }

    private JsonObject switched(StreamState state) {
        try (TargetClient target = streams.target(state, SWITCH_MAX)) {
            long nanos = streams.link(state, target).switchOver();
            JsonObject json = new JsonObject();
            json.addProperty("switched", state.stream().target());
            json.addProperty("target", state.target());
            json.addProperty("pauseMs", nanos / NANOS_PER_MILLI);
            return json;
        }
    }

    private void reopen(StreamState state) {
        try (TargetClient target = streams.target(state, ANSWER_MAX)) {
            streams.link(state, target).reopen();
        }
    }

    private JsonObject promoted(String database) {
        ReplicaStatus status =
                owner.ask(
                                ReplicationRequest.newBuilder()
                                        .setDatabase(database)
                                        .setPromote(PromoteReplica.getDefaultInstance())
                                        .build())
                        .getStatus();
        JsonObject json = new JsonObject();
        json.addProperty("promoted", database);
        json.addProperty("epoch", status.getLeadership().getEpoch());
        json.addProperty("position", String.valueOf(status.getPosition()));
        return json;
    }

    private JsonObject status(String database) {
        JsonArray all = new JsonArray();
        for (StreamState state : streams.list(database)) {
            try (TargetClient target = streams.target(state, ANSWER_MAX)) {
                all.add(
                        StreamStatus.of(
                                state, streams.progress(state), streams.link(state, target)));
            }
        }
        JsonObject json = StreamStatus.own(owner, database);
        json.add("streams", all);
        return json;
    }

    @Override
    public void close() {
        streams.close();
    }
}
