package petrichor.server.migrations;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabases;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.ActionRequest;
import petrichor.frontends.http.Page;
import petrichor.kv.KeyRange;
import petrichor.transactions.databases.RowDatabase;
import petrichor.transactions.ring.Ring;
import petrichor.transactions.ring.RingMap;
import petrichor.transactions.ring.RingStatus;
import petrichor.tuples.TupleRanges;

/**
 * Rings of databases, for {@code petrichor ring}: {@code POST /petrichor/v1/ring} takes
 *
 * <pre>
 *   {"action": "status" | "create" | "cover" | "add" | "remove" | "move" | "rebalance" | "cancel",
 *    "project": P, "database": D,
 *    "stores": [the members], for create,
 *    "store": a member, for add, remove and move,
 *    "collection": whose rows, for create, cover and move; all collections if it is absent,
 *    "byLoad": true, for rebalance by requests and bytes}
 * </pre>
 *
 * and answers with the status. The caller needs the role admin for the database. Thread-safe.
 */
public final class RingPage {
    private static final String PATH = "/petrichor/v1/ring";
    private static final double NANOS_PER_MILLI = 1e6;

    private final Function<String, RowDatabase> databases;

    /**
     * @param databases by name; fails if the database does not exist, or cannot be moved by this
     *     server
     */
    public RingPage(Function<String, RowDatabase> databases) {
        this.databases = databases;
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
        RowDatabase found = databases.apply(EntityDatabases.name(project, database));
        perform(found, asked);
        return found.ring().status().map(RingPage::json).orElseGet(JsonObject::new);
    }

    private static void perform(RowDatabase database, ActionRequest asked) {
        Ring ring = database.ring();
        String action = asked.action();
        switch (action) {
            case "status" -> {}
            case "create" -> {
                List<KeyRange> rows = rows(database, asked);
                ring.create(stores(asked));
                ring.cover(rows);
            }
            case "cover" -> ring.cover(rows(database, asked));
            case "add" -> ring.add(asked.text("store"));
            case "remove" -> ring.remove(asked.text("store"));
            case "move" -> {
                for (KeyRange range : rows(database, asked)) {
                    ring.move(range, asked.text("store"));
                }
            }
            case "rebalance" -> ring.rebalance(asked.flag("byLoad"));
            case "cancel" -> ring.cancel();
            default ->
                    throw PetrichorException.invalid(
                            "A ring has no action \"{action}\".", "action", action);
        }
    }

    private static List<KeyRange> rows(RowDatabase database, ActionRequest asked) {
        String collection = asked.text("collection");
        return collection.isEmpty() ? TupleRanges.all() : TupleRanges.of(database, collection);
    }

    private static List<String> stores(ActionRequest asked) {
        List<String> stores = new ArrayList<>();
        if (asked.body().get("stores") instanceof JsonArray array) {
            for (JsonElement store : array) {
                if (!(store instanceof JsonPrimitive name)) {
                    throw PetrichorException.invalid("stores must be names of stores.");
                }
                stores.add(name.getAsString());
            }
        }
        return stores;
    }

    private static JsonObject json(RingStatus status) {
        JsonObject json = new JsonObject();
        json.addProperty("version", String.valueOf(status.version()));
        json.addProperty("settled", status.settled());
        json.addProperty("goal", status.goal().name());
        JsonArray members = new JsonArray();
        for (RingStatus.Member member : status.members()) {
            JsonObject one = new JsonObject();
            one.addProperty("store", member.store());
            one.addProperty("leaving", member.leaving());
            one.addProperty("ranges", member.ranges());
            if (member.bytes() >= 0) {
                one.addProperty("bytes", member.bytes());
            }
            one.addProperty("reads", member.reads());
            one.addProperty("writes", member.writes());
            members.add(one);
        }
        json.add("members", members);
        JsonArray ranges = new JsonArray();
        for (RingMap.Range range : status.ranges()) {
            JsonObject one = keys(range.keys());
            one.addProperty("store", range.store());
            ranges.add(one);
        }
        json.add("ranges", ranges);
        status.move()
                .ifPresent(
                        move -> {
                            JsonObject one = keys(move.keys());
                            one.addProperty("from", move.from());
                            one.addProperty("to", move.to());
                            one.addProperty("phase", move.phase());
                            one.addProperty("rows", move.rows());
                            one.addProperty("bytes", move.bytes());
                            json.add("move", one);
                        });
        json.addProperty("planned", status.planned());
        json.addProperty("formerRanges", status.formerRanges());
        JsonObject moved = new JsonObject();
        moved.addProperty("ranges", status.moved().ranges());
        moved.addProperty("rows", status.moved().rows());
        moved.addProperty("bytes", status.moved().bytes());
        moved.addProperty("abandoned", status.moved().abandoned());
        moved.addProperty("pauseMsMax", status.moved().pauseNanosMax() / NANOS_PER_MILLI);
        json.add("moved", moved);
        status.problem().ifPresent(problem -> json.addProperty("problem", problem));
        return json;
    }

    private static JsonObject keys(KeyRange keys) {
        JsonObject json = new JsonObject();
        json.addProperty("fromKey", HexFormat.of().formatHex(keys.from()));
        byte[] to = keys.to();
        json.addProperty("toKey", to == null ? "" : HexFormat.of().formatHex(to));
        return json;
    }
}
