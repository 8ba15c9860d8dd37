package petrichor.cli.sql;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A plan of {@code EXPLAIN} as a tree: of PostgreSQL's JSON form, whose nodes have {@code Plans}.
 * Other plans stay as the server wrote them.
 */
final class PlanTree {
    private static final String CHILDREN = "Plans";
    private static final String NAME = "Node Type";

    private final StringBuilder text = new StringBuilder();

    private PlanTree() {}

    static String of(String plan) {
        if (!plan.startsWith("[") && !plan.startsWith("{")) {
            return plan;
        }
        try {
            PlanTree tree = new PlanTree();
            JsonElement all = JsonParser.parseString(plan);
            for (JsonElement one : all.isJsonArray() ? all.getAsJsonArray() : single(all)) {
                JsonObject object = one.getAsJsonObject();
                tree.node(object.has("Plan") ? object.getAsJsonObject("Plan") : object, "", "");
                if (object.has("Plan")) {
                    facts(object, "Plan").forEach(fact -> tree.text.append(fact).append('\n'));
                }
            }
            return tree.text.toString().stripTrailing();
        } catch (JsonSyntaxException | IllegalStateException | ClassCastException otherForm) {
            return plan;
        }
    }

    private static JsonArray single(JsonElement one) {
        JsonArray array = new JsonArray();
        array.add(one);
        return array;
    }

    private void node(JsonObject node, String first, String rest) {
        text.append(first)
                .append(node.has(NAME) ? node.get(NAME).getAsString() : "Plan")
                .append('\n');
        List<JsonObject> children = new ArrayList<>();
        if (node.has(CHILDREN)) {
            node.getAsJsonArray(CHILDREN).forEach(child -> children.add(child.getAsJsonObject()));
        }
        String bar = children.isEmpty() ? "    " : "│   ";
        for (String fact : facts(node, CHILDREN)) {
            text.append(rest).append(bar).append(fact).append('\n');
        }
        for (int i = 0; i < children.size(); i++) {
            boolean last = i == children.size() - 1;
            node(children.get(i), rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "));
        }
    }

    private static List<String> facts(JsonObject node, String without) {
        List<String> facts = new ArrayList<>();
        for (Map.Entry<String, JsonElement> fact : node.entrySet()) {
            if (!fact.getKey().equals(without) && !fact.getKey().equals(NAME)) {
                JsonElement value = fact.getValue();
                facts.add(
                        fact.getKey()
                                + ": "
                                + (value.isJsonPrimitive() ? value.getAsString() : value));
            }
        }
        return facts;
    }
}
