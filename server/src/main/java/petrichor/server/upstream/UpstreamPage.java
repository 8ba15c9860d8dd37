package petrichor.server.upstream;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.ActionRequest;
import petrichor.frontends.http.Page;
import petrichor.movement.upstream.UpstreamStatus;
import petrichor.movement.upstream.Upstreams;

/**
 * Moves databases from the upstream, for {@code petrichor upstream}: {@code POST
 * /petrichor/v1/upstream} takes
 *
 * <pre>
 *   {"action": "status" | "start" | "verify" | "switch" | "reverse" | "complete" | "cancel",
 *    "project": P, "database": D, "namespaces": [those that move, for start; all if absent]}
 * </pre>
 *
 * and answers with the status, after a switch also with how long commits waited. The caller needs
 * the role admin for the database. Thread-safe.
 */
public final class UpstreamPage {
    private static final String PATH = "/petrichor/v1/upstream";
    private static final double NANOS_PER_MILLI = 1e6;

    private final @Nullable Upstreams upstreams;

    /**
     * @param upstreams empty if the server has no upstream
     */
    public UpstreamPage(Optional<Upstreams> upstreams) {
        this.upstreams = upstreams.orElse(null);
    }

    public Page page() {
        return new Page(
                "POST",
                PATH,
                Page.Access.TOKEN,
                Page.Lane.CALLS,
                request -> ActionRequest.answer(request, this::performed));
    }

    private JsonObject performed(ActionRequest asked) {
        String project = asked.text("project");
        String database = asked.text("database");
        asked.caller().require(Role.ADMIN, project, database);
        var _ = EntityDatabases.name(project, database);
        return performed(new DatabaseName(project, database), asked);
    }

    private static List<String> namespaces(ActionRequest asked) {
        List<String> namespaces = new ArrayList<>();
        if (asked.body().get("namespaces") instanceof JsonArray array) {
            for (JsonElement one : array) {
                if (!(one instanceof JsonPrimitive name)) {
                    throw PetrichorException.invalid("namespaces must be names of namespaces.");
                }
                namespaces.add(name.getAsString());
            }
        }
        return namespaces;
    }

    private JsonObject performed(DatabaseName name, ActionRequest asked) {
        Upstreams all = upstreams;
        if (all == null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "This server has no upstream; start it with --upstream URL.");
        }
        String action = asked.action();
        long paused = -1;
        switch (action) {
            case "status" -> {}
            case "start" -> all.start(name, namespaces(asked));
            case "verify" -> all.verify(name);
            case "switch" -> paused = all.switchHere(name);
            case "reverse" -> paused = all.switchBack(name);
            case "complete" -> all.complete(name);
            case "cancel" -> all.cancel(name);
            default ->
                    throw PetrichorException.invalid(
                            "A move from an upstream has no action \"{action}\".",
                            "action",
                            action);
        }
        JsonObject answer = json(all.status(name), all);
        if (paused >= 0) {
            answer.addProperty("pauseMs", paused / NANOS_PER_MILLI);
        }
        return answer;
    }

    private static JsonObject json(UpstreamStatus status, Upstreams all) {
        JsonObject json = new JsonObject();
        json.addProperty("upstream", status.address());
        json.addProperty("phase", status.phase().name());
        json.addProperty("entities", status.copied().entities());
        json.addProperty("bytes", status.copied().bytes());
        json.addProperty("lagSeconds", status.lagSeconds());
        json.addProperty("settlesSeconds", status.settlesSeconds());
        json.addProperty("sent", status.sent());
        json.addProperty("comparedEntities", status.compared().entities());
        json.addProperty("mismatches", status.compared().mismatches());
        if (status.compared().at() > 0) {
            json.addProperty(
                    "comparedAt",
                    Instant.EPOCH.plus(status.compared().at(), ChronoUnit.MICROS).toString());
        }
        JsonArray examples = new JsonArray();
        status.compared().examples().forEach(examples::add);
        json.add("mismatching", examples);
        JsonObject shadow = new JsonObject();
        all.shadowReads().forEach(shadow::addProperty);
        json.add("shadowReads", shadow);
        status.problem().ifPresent(problem -> json.addProperty("problem", problem));
        return json;
    }
}
