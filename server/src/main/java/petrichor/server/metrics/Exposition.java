package petrichor.server.metrics;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * Prometheus' text format, version 0.0.4: a header per family of metrics, then a line per series.
 * Values of labels are escaped. Belongs to one thread.
 *
 * @param out is appended to
 */
record Exposition(StringBuilder out) {
    void family(String type, String name, String help) {
        out.append("# HELP ").append(name).append(' ').append(help).append('\n');
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    void line(String name, Map<String, String> labels, Number value) {
        out.append(name);
        if (!labels.isEmpty()) {
            out.append(
                    labels.entrySet().stream()
                            .map(each -> each.getKey() + "=\"" + escaped(each.getValue()) + "\"")
                            .collect(Collectors.joining(",", "{", "}")));
        }
        out.append(' ').append(value).append('\n');
    }

    void single(String type, String name, String help, Number value) {
        family(type, name, help);
        line(name, Map.of(), value);
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
