package petrichor.sql.h2;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.h2.constraint.Constraint;
import org.h2.constraint.ConstraintReferential;
import org.h2.engine.SessionLocal;
import org.h2.table.Table;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;
import petrichor.sql.TruncateText;

/**
 * Removes all rows of several tables: those that other tables refer to need these in the statement,
 * or CASCADE. Confined to the session's thread.
 */
final class Truncation {
    private final SessionLocal session;
    private final Set<RowTable> tables = new LinkedHashSet<>();

    private Truncation(SessionLocal session) {
        this.session = session;
    }

    static Truncation of(SessionLocal session, TruncateText statement) {
        Truncation truncation = new Truncation(session);
        for (List<String> names : statement.tables()) {
            truncation.add(NamedTables.find(session, names));
        }
        truncation.follow(statement.options().contains(TruncateText.Option.CASCADE));
        return truncation;
    }

    private void add(Table table) {
        if (!(table instanceof RowTable rows)) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "TRUNCATE of \"" + table.getName() + "\": it is not a table; use DELETE");
        }
        tables.add(rows);
    }

    private void follow(boolean cascade) {
        Set<RowTable> seen = new LinkedHashSet<>();
        while (seen.size() < tables.size()) {
            for (RowTable table : List.copyOf(tables)) {
                if (seen.add(table)) {
                    follow(table, cascade);
                }
            }
        }
    }

    private void follow(RowTable table, boolean cascade) {
        Iterable<Constraint> constraints = table.getConstraints();
        for (Constraint constraint : constraints == null ? List.<Constraint>of() : constraints) {
            boolean referred =
                    constraint instanceof ConstraintReferential reference
                            && reference.getRefTable().equals(table)
                            && constraint.getTable() instanceof RowTable
                            && !tables.contains(constraint.getTable());
            if (referred && !cascade) {
                throw new SqlException(
                        SqlState.FEATURE_NOT_SUPPORTED,
                        "cannot truncate a table referenced in a foreign key constraint",
                        "Truncate table \""
                                + constraint.getTable().getName()
                                + "\" at the same time, or use TRUNCATE ... CASCADE.",
                        0,
                        null);
            }
            if (referred) {
                add(constraint.getTable());
            }
        }
    }

    /** Returns the tables, each with its schema. */
    List<List<String>> run() {
        for (RowTable table : tables) {
            long _ = table.access(session).removeAll();
        }
        return tables.stream()
                .map(table -> List.of(table.getSchema().getName(), table.getName()))
                .toList();
    }
}
