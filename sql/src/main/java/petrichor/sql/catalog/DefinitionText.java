package petrichor.sql.catalog;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.Definitions.KeyPart;
import petrichor.sql.h2.Definitions.Relation;

/** Definitions as PostgreSQL writes them. */
final class DefinitionText {
    private DefinitionText() {}

    static String action(String what, String action) {
        boolean none = action.equals("NO ACTION") || action.equals("RESTRICT");
        return none ? "" : what + action;
    }

    static String code(String action) {
        return switch (action) {
            case "CASCADE" -> "c";
            case "SET NULL" -> "n";
            case "SET DEFAULT" -> "d";
            default -> "a";
        };
    }

    static String columns(Relation of, List<Integer> positions) {
        return String.join(
                ", ",
                positions.stream().map(at -> quote(of.attributes().get(at - 1).name())).toList());
    }

    static String quote(String name) {
        return name.matches("[a-z_][a-z0-9_$]*") ? name : "\"" + name.replace("\"", "\"\"") + "\"";
    }

    static String check(@Nullable String expression) {
        String text =
                String.valueOf(expression)
                        .replaceAll(
                                "CAST\\((-?[0-9.]+) AS NUMERIC\\([0-9, ]+\\)\\)", "$1::numeric");
        return "CHECK " + (text.startsWith("(") ? text : "(" + text + ")");
    }

    /** An int2vector. */
    static String vector(List<? extends Number> numbers) {
        return String.join(" ", numbers.stream().map(Object::toString).toList());
    }

    static List<Long> longs(List<Integer> numbers) {
        return numbers.stream().map(Integer::longValue).toList();
    }

    /** Bit 0: descending, bit 1: nulls first. */
    static long option(KeyPart part) {
        return part.descending() ? 3L : 0L;
    }
}
