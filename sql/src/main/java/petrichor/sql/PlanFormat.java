package petrichor.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Plans as PostgreSQL writes them: lines of text, or JSON that tools draw. */
final class PlanFormat {
    /** Properties that the first line of a step shows. */
    private static final Set<String> IN_TITLE =
            Set.of(
                    "Node Type",
                    "Parent Relationship",
                    "Relation Name",
                    "Schema",
                    "Alias",
                    "Index Name",
                    "Scan Direction",
                    "Join Type",
                    "Strategy",
                    "Startup Cost",
                    "Total Cost",
                    "Plan Rows",
                    "Plan Width",
                    "Actual Startup Time",
                    "Actual Total Time",
                    "Actual Rows",
                    "Actual Loops");

    private PlanFormat() {}

    static List<String> text(PlanNode plan) {
        List<String> lines = new ArrayList<>();
        text(plan, 0, lines);
        plan.summary().forEach((name, value) -> lines.add(line(name, value)));
        return lines;
    }

    private static void text(PlanNode node, int depth, List<String> lines) {
        String indent = depth == 0 ? "" : " ".repeat(depth * 6 - 4);
        Map<String, Object> all = node.properties();
        StringBuilder first =
                new StringBuilder(indent)
                        .append(depth == 0 ? "" : "->  ")
                        .append(node.title())
                        .append("  (cost=")
                        .append(all.get("Startup Cost"))
                        .append("..")
                        .append(all.get("Total Cost"))
                        .append(" rows=")
                        .append(all.get("Plan Rows"))
                        .append(" width=")
                        .append(all.get("Plan Width"))
                        .append(')');
        if (all.containsKey("Actual Loops")) {
            first.append(" (actual time=")
                    .append(all.get("Actual Startup Time"))
                    .append("..")
                    .append(all.get("Actual Total Time"))
                    .append(" rows=")
                    .append(all.get("Actual Rows"))
                    .append(" loops=")
                    .append(all.get("Actual Loops"))
                    .append(')');
        }
        lines.add(first.toString());
        String below = " ".repeat(depth * 6 + 2);
        all.forEach(
                (name, value) -> {
                    if (!IN_TITLE.contains(name)) {
                        lines.add(below + line(name, value));
                    }
                });
        for (PlanNode input : node.inputs()) {
            text(input, depth + 1, lines);
        }
    }

    private static String line(String name, Object value) {
        String shown = value instanceof List<?> list ? joined(list) : String.valueOf(value);
        return name + ": " + shown + (name.endsWith(" Time") ? " ms" : "");
    }

    private static String joined(List<?> list) {
        List<String> texts = new ArrayList<>();
        list.forEach(value -> texts.add(String.valueOf(value)));
        return String.join(", ", texts);
    }

    static String json(PlanNode plan) {
        StringBuilder out = new StringBuilder("[{\"Plan\": ");
        json(plan, out);
        plan.summary().forEach((name, value) -> property(name, value, ", ", out));
        return out.append("}]").toString();
    }

    private static void json(PlanNode node, StringBuilder out) {
        String separator = "{";
        for (Map.Entry<String, Object> one : node.properties().entrySet()) {
            property(one.getKey(), one.getValue(), separator, out);
            separator = ", ";
        }
        if (!node.inputs().isEmpty()) {
            out.append(separator).append("\"Plans\": [");
            String between = "";
            for (PlanNode input : node.inputs()) {
                out.append(between);
                json(input, out);
                between = ", ";
            }
            out.append(']');
        }
        out.append('}');
    }

    private static void property(String name, Object value, String before, StringBuilder out) {
        out.append(before);
        quote(name, out);
        out.append(": ");
        value(value, out);
    }

    private static void value(Object value, StringBuilder out) {
        switch (value) {
            case Number number -> out.append(number);
            case Boolean flag -> out.append(flag);
            case List<?> list -> {
                String before = "[";
                for (Object one : list) {
                    out.append(before);
                    quote(String.valueOf(one), out);
                    before = ", ";
                }
                out.append(list.isEmpty() ? "[]" : "]");
            }
            default -> quote(String.valueOf(value), out);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
