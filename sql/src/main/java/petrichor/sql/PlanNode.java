package petrichor.sql;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A step of a plan and its inputs, with PostgreSQL's names. Immutable.
 *
 * @param title of the first line of its text
 * @param properties in order, by name; numbers, texts and lists of texts
 * @param summary properties of the whole statement; empty except for the root
 */
public record PlanNode(
        String title,
        Map<String, Object> properties,
        List<PlanNode> inputs,
        Map<String, Object> summary) {
    public PlanNode {
        properties = new LinkedHashMap<>(properties);
        inputs = List.copyOf(inputs);
        summary = new LinkedHashMap<>(summary);
    }

    public PlanNode(String title, Map<String, Object> properties, List<PlanNode> inputs) {
        this(title, properties, inputs, Map.of());
    }

    /** The root of a plan. */
    public PlanNode with(Map<String, Object> statement) {
        return new PlanNode(title, properties, inputs, statement);
    }
}
