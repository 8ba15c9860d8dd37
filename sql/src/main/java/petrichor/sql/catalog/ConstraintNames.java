package petrichor.sql.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import petrichor.sql.h2.Definitions;
import petrichor.sql.h2.Definitions.Relation;
import petrichor.sql.h2.Definitions.Restriction;
import petrichor.sql.h2.Definitions.Rule;

/** Names of constraints: those that H2 has chosen are shown as PostgreSQL would choose them. */
public final class ConstraintNames {
    private static final Pattern CHOSEN = Pattern.compile("(?i)constraint_[0-9a-f_]+");

    private ConstraintNames() {}

    /**
     * The stored name of a constraint; the given one if there is none that is shown with it.
     *
     * @param table with or without its schema
     */
    public static String stored(Definitions definitions, List<String> table, String shown) {
        for (Relation relation : definitions.relations()) {
            boolean named =
                    relation.name().equals(table.getLast())
                            && (table.size() == 1
                                    || relation.schema().equals(table.get(table.size() - 2)));
            for (Restriction restriction :
                    named ? relation.restrictions() : List.<Restriction>of()) {
                if (shown(relation, restriction).equals(shown)) {
                    return restriction.name();
                }
            }
        }
        return shown;
    }

    static String shown(Relation of, Restriction restriction) {
        if (!CHOSEN.matcher(restriction.name()).matches()) {
            return restriction.name();
        }
        String base = chosen(of, restriction);
        int same = 0;
        int position = of.restrictions().indexOf(restriction);
        for (Restriction other : of.restrictions().subList(0, position)) {
            boolean equal =
                    CHOSEN.matcher(other.name()).matches() && chosen(of, other).equals(base);
            same += equal ? 1 : 0;
        }
        return same == 0 ? base : base + same;
    }

    private static String chosen(Relation of, Restriction restriction) {
        List<String> parts = new ArrayList<>();
        parts.add(of.name());
        boolean named =
                restriction.rule() != Rule.PRIMARY
                        && (restriction.rule() != Rule.CHECK || restriction.columns().size() == 1);
        if (named) {
            restriction.columns().forEach(at -> parts.add(of.attributes().get(at - 1).name()));
        }
        parts.add(
                switch (restriction.rule()) {
                    case PRIMARY -> "pkey";
                    case UNIQUE -> "key";
                    case CHECK -> "check";
                    case REFERENCE -> "fkey";
                });
        return String.join("_", parts);
    }
}
