package petrichor.jobs.oracle;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import petrichor.jobs.pact.compiler.Explanation;

/** A compiler's choice for one contract, in terms that both compilers share. */
record Choice(String contract, String local, List<String> ships) {
    @Override
    public String toString() {
        return contract + ": " + local + " " + ships;
    }

    // ---- ours

    static List<Choice> ofOurs(Explanation explanation) {
        var choices = new ArrayList<Choice>();
        for (var contract : explanation.contracts()) {
            var kind =
                    switch (contract.contract()) {
                        case "Reduce", "Aggregate" -> "reduce";
                        case "Match" -> "match";
                        case "Cross" -> "cross";
                        case "CoGroup" -> "cogroup";
                        case "Sort" -> "sort";
                        default -> "";
                    };
            if (!kind.isEmpty()) {
                choices.add(
                        new Choice(
                                kind,
                                ourLocal(contract.strategy()),
                                contract.inputs().stream().map(Choice::ourShip).toList()));
            }
        }
        return choices;
    }

    private static String ourLocal(String strategy) {
        return switch (strategy) {
            case "hash join, build first" -> "hash first";
            case "hash join, build second" -> "hash second";
            case "merge join" -> "merge";
            case "hash aggregate", "hash aggregate partial results" -> "hash";
            case "reduce sorted groups", "reduce pre-grouped records", "aggregate sorted groups" ->
                    "groups";
            default ->
                    strategy.contains("nested loop")
                            ? "nested loop " + (strategy.endsWith("first") ? "first" : "second")
                            : "";
        };
    }

    private static String ourShip(Explanation.Incoming input) {
        var ship = input.shipping().replaceAll("\\(.*", "");
        return (input.combined() ? "combine " : "")
                + (ship.equals("rebalance") ? "gather" : ship)
                + (input.order().startsWith("sort") ? " sort" : "");
    }

    // ---- Flink's

    static List<Choice> ofFlink(String json) {
        Map<Integer, JsonObject> nodes = new HashMap<>();
        var ordered = new ArrayList<JsonObject>();
        for (var node : JsonParser.parseString(json).getAsJsonObject().getAsJsonArray("nodes")) {
            nodes.put(node.getAsJsonObject().get("id").getAsInt(), node.getAsJsonObject());
            ordered.add(node.getAsJsonObject());
        }
        var choices = new ArrayList<Choice>();
        for (var node : ordered) {
            var driver = text(node, "driver_strategy");
            var kind =
                    switch (text(node, "pact")) {
                        case "GroupReduce", "Reduce" -> driver.contains("Combine") ? "" : "reduce";
                        case "Join" -> "match";
                        case "Cross" -> "cross";
                        case "CoGroup" -> "cogroup";
                        case "Sort-Partition" -> "sort";
                        default -> "";
                    };
            if (!kind.isEmpty()) {
                choices.add(new Choice(kind, flinkLocal(driver, node), ships(node, nodes, kind)));
            }
        }
        return choices;
    }

    private static String flinkLocal(String driver, JsonObject node) {
        var side = driver.contains("build") || driver.contains("Outer") ? sideOf(driver, node) : "";
        var lower = driver.toLowerCase(Locale.ROOT);
        if (lower.contains("hybrid hash")) {
            return "hash " + side;
        }
        if (lower.contains("nested loop")) {
            return "nested loop " + side;
        }
        return lower.contains("merge") ? "merge" : lower.contains("reduce") ? "groups" : "";
    }

    /** Flink names the input: "Hybrid Hash (build: name (id: 3))". */
    private static String sideOf(String driver, JsonObject node) {
        for (var input : node.getAsJsonArray("predecessors")) {
            var id = input.getAsJsonObject().get("id").getAsInt();
            if (driver.contains("(id: " + id + ")")) {
                return text(input.getAsJsonObject(), "side");
            }
        }
        return driver;
    }

    private static List<String> ships(
            JsonObject node, Map<Integer, JsonObject> nodes, String kind) {
        var ships = new ArrayList<String>();
        for (var each : node.getAsJsonArray("predecessors")) {
            var input = each.getAsJsonObject();
            var from = nodes.get(input.get("id").getAsInt());
            boolean combined =
                    from != null
                            && (text(from, "driver_strategy") + text(from, "pact"))
                                    .contains("Combine");
            var sort = text(input, "local_strategy").startsWith("Sort") ? " sort" : "";
            var ship = ship(text(input, "ship_strategy"));
            if (kind.equals("sort") && from != null && text(from, "pact").equals("Partition")) {
                ship =
                        ship(
                                text(
                                        from.getAsJsonArray("predecessors")
                                                .get(0)
                                                .getAsJsonObject(),
                                        "ship_strategy"));
            }
            ships.add((combined ? "combine " : "") + ship + sort);
        }
        return ships;
    }

    private static String ship(String flink) {
        var lower = flink.toLowerCase(Locale.ROOT);
        return lower.startsWith("hash")
                ? "hash"
                : lower.startsWith("range")
                        ? "range"
                        : lower.startsWith("broadcast")
                                ? "broadcast"
                                : lower.startsWith("forward")
                                        ? "forward"
                                        : lower.contains("redistribute")
                                                        || lower.contains("rebalance")
                                                ? "gather"
                                                : lower;
    }

    private static String text(JsonObject object, String member) {
        var value = object.get(member);
        return value == null ? "" : value.getAsString();
    }
}
