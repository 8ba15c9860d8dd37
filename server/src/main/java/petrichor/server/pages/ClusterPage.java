package petrichor.server.pages;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;
import petrichor.base.PetrichorException;
import petrichor.cluster.ClusterNode;
import petrichor.coordination.NameHolder;
import petrichor.frontends.access.Scope;
import petrichor.frontends.http.Page;
import petrichor.server.data.Data;
import petrichor.server.data.DatabaseId;

/**
 * {@code GET /petrichor/v1/cluster}: the servers of the cluster and the databases that each owns,
 * for the command {@code cluster status}. A standalone server lists none. Databases outside the
 * scope of the caller's token are omitted.
 */
public final class ClusterPage {
    public static final String PATH = "/petrichor/v1/cluster";

    private final Supplier<Data> data;

    public ClusterPage(Supplier<Data> data) {
        this.data = data;
    }

    public Page page() {
        return new Page("GET", PATH, Page.Access.TOKEN, this::answer);
    }

    private Page.Answer answer(Page.Request request) {
        JsonArray servers = new JsonArray();
        Scope scope = request.attempt().caller().scope();
        try {
            data.get()
                    .cluster()
                    .ifPresent(
                            node -> node.statuses().forEach(one -> servers.add(json(one, scope))));
        } catch (PetrichorException away) {
            JsonObject error = new JsonObject();
            error.addProperty("error", away.getMessage());
            return Page.Answer.json(503, error + "\n");
        }
        JsonObject all = new JsonObject();
        all.add("servers", servers);
        return Page.Answer.json(200, all + "\n");
    }

    private static JsonObject json(ClusterNode.MemberStatus status, Scope scope) {
        JsonArray databases = new JsonArray();
        for (NameHolder holding : status.holdings()) {
            if (!DatabaseId.of(holding.name()).isIn(scope)) {
                continue;
            }
            JsonObject database = new JsonObject();
            database.addProperty("name", holding.name());
            database.addProperty("epoch", holding.epoch());
            databases.add(database);
        }
        JsonObject json = new JsonObject();
        json.addProperty("address", status.member().address());
        json.addProperty("id", status.member().id());
        json.addProperty(
                "started",
                Instant.EPOCH.plus(status.member().startedMicros(), ChronoUnit.MICROS).toString());
        json.addProperty("self", status.self());
        json.add("databases", databases);
        return json;
    }
}
