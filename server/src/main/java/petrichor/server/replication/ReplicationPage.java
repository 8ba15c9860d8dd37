package petrichor.server.replication;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
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
import petrichor.frontends.http.ActionRequest;
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
                new Page(
                        "POST",
                        PATH,
                        Page.Access.TOKEN,
                        Page.Lane.CALLS,
                        request -> ActionRequest.answer(request, this::performed)));
    }

    /** Runs streams from now on. */
    public void start() {
        streams.start();
    }

    public MetricSnapshots metrics() {
        return streams.metrics();
    }

    private JsonObject performed(ActionRequest asked) {
        String project = asked.text("project");
        String database = asked.text("database");
        if (!asked.text("targetProject").isEmpty()) {
            asked.caller()
                    .require(Role.ADMIN, asked.text("targetProject"), asked.text("targetDatabase"));
        }
        asked.caller().require(Role.ADMIN, project, database);
        String name = EntityDatabases.name(project, database);
        if (!exists.test(name)) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "There is no database {database}; the first commit creates it.",
                    "database",
                    name);
        }
        return performed(name, asked);
    }

    private static List<String> texts(ActionRequest asked, String field) {
        return asked.body().get(field) instanceof JsonArray array
                        && array.asList().stream().allMatch(JsonElement::isJsonPrimitive)
                ? StreamState.texts(array)
                : List.of();
    }

    private JsonObject performed(String database, ActionRequest asked) {
        String action = asked.action();
        switch (action) {
            case "plan" -> {
                return plan(wanted(database, asked));
            }
            case "start" -> streams.add(checked(wanted(database, asked)));
            case "status" -> {}
            case "pause" -> streams.pause(streams.find(database, asked.text("name")), true);
            case "resume" -> streams.pause(streams.find(database, asked.text("name")), false);
            case "stop" -> stop(streams.find(database, asked.text("name")));
            case "switch" -> {
                return switched(streams.find(database, asked.text("name")));
            }
            case "reopen" -> reopen(streams.find(database, asked.text("name")));
            case "promote" -> {
                return promoted(database);
            }
            default ->
                    throw PetrichorException.invalid(
                            "A replication has no action \"{action}\".", "action", action);
        }
        return status(database);
    }

    private StreamState wanted(String database, ActionRequest asked) {
        String to = asked.text("to");
        String name = asked.text("name").isEmpty() ? to : asked.text("name");
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
        String project = asked.text("targetProject");
        String target =
                project.isEmpty()
                        ? database
                        : EntityDatabases.name(project, asked.text("targetDatabase"));
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
    private StreamState checked(StreamState state) {
        streams.requireOwnFiles(state);
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
