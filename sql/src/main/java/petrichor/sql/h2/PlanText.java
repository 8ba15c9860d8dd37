package petrichor.sql.h2;

import org.jspecify.annotations.Nullable;

/** Parts of a plan that only H2's text of it contains. */
final class PlanText {
    private static final String ORDER = "\nORDER BY ";

    private PlanText() {}

    /**
     * The end of a query.
     *
     * @param order null if it is not sorted
     */
    record Tail(@Nullable String order, boolean limited) {}

    static Tail tail(String plan) {
        int at = plan.lastIndexOf(ORDER);
        boolean limited = plan.lastIndexOf("\nFETCH ") >= 0 || plan.lastIndexOf("\nOFFSET ") >= 0;
        if (at < 0) {
            return new Tail(null, limited);
        }
        int from = at + ORDER.length();
        int to = plan.indexOf('\n', from);
        return new Tail(plan.substring(from, to < 0 ? plan.length() : to), limited);
    }

    /** The conditions after the name of the index in the first comment; empty if there are none. */
    static String indexCondition(String plan) {
        int from = plan.indexOf("/* ");
        if (from < 0) {
            return "";
        }
        int to = from + 2;
        for (int depth = 1; depth > 0 && to < plan.length(); to++) {
            if (plan.startsWith("/*", to)) {
                depth++;
            } else if (plan.startsWith("*/", to)) {
                depth--;
            }
        }
        String comment = plan.substring(from + 3, Math.max(from + 3, to - 1)).strip();
        int condition = comment.indexOf(": ");
        boolean query = comment.startsWith("SELECT") || comment.startsWith("(");
        return condition < 0 || query
                ? ""
                : comment.substring(condition + 2).replaceAll("\\s+", " ").strip();
    }
}
