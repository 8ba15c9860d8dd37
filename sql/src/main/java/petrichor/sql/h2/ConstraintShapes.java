package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.h2.constraint.Constraint;
import org.h2.constraint.ConstraintDomain;
import org.h2.constraint.ConstraintReferential;
import org.h2.engine.Database;
import org.h2.schema.Schema;
import org.h2.table.Column;
import org.h2.table.IndexColumn;
import org.h2.table.Table;
import petrichor.tables.CatalogImage;
import petrichor.tables.StoredTable;

/**
 * The check constraints and foreign keys of a catalog by what they are about: the ids of tables and
 * columns, which do not change when something is renamed. Immutable.
 */
final class ConstraintShapes {
    private final Map<String, Integer> counts = new HashMap<>();

    private ConstraintShapes() {}

    static ConstraintShapes of(Database database) {
        ConstraintShapes shapes = new ConstraintShapes();
        for (Constraint constraint : constraints(database)) {
            shapes.counts.merge(shape(constraint), 1, Integer::sum);
        }
        return shapes;
    }

    private static List<Constraint> constraints(Database database) {
        List<Constraint> all = new ArrayList<>();
        for (Schema schema : database.getAllSchemasNoMeta()) {
            for (Constraint constraint : schema.getAllConstraints()) {
                switch (constraint.getConstraintType()) {
                    case CHECK, REFERENTIAL, DOMAIN -> all.add(constraint);
                    case PRIMARY_KEY, UNIQUE -> {} // the states of their indexes say more
                }
            }
        }
        return all;
    }

    private static String shape(Constraint constraint) {
        if (constraint instanceof ConstraintDomain domain) {
            return "domain " + domain.getDomain().getSQL(0) + domain.getExpression().getSQL(0);
        }
        StringBuilder shape = new StringBuilder(constraint.getConstraintType().name());
        if (constraint instanceof ConstraintReferential reference) {
            append(shape, reference.getTable(), columns(reference.getColumns()));
            append(shape, reference.getRefTable(), columns(reference.getRefColumns()));
            shape.append(reference.getDeleteAction()).append(reference.getUpdateAction());
        } else {
            Table table = constraint.getTable();
            append(shape, table, List.copyOf(constraint.getReferencedColumns(table)));
        }
        return shape.toString();
    }

    private static List<Column> columns(IndexColumn[] parts) {
        List<Column> columns = new ArrayList<>();
        for (IndexColumn part : parts) {
            columns.add(part.column);
        }
        return columns;
    }

    private static void append(StringBuilder shape, Table table, List<Column> columns) {
        shape.append(' ').append(table instanceof RowTable rows ? rows.id() : 0).append(':');
        if (table instanceof RowTable rows) {
            StoredTable stored = rows.describe();
            columns.stream()
                    .map(column -> stored.columns().get(column.getColumnId()).id())
                    .sorted()
                    .forEach(id -> shape.append(id).append(','));
        }
    }

    /** The constraints of a database that are not among these. */
    List<Constraint> added(Database database) {
        Map<String, Integer> left = new HashMap<>(counts);
        List<Constraint> added = new ArrayList<>();
        for (Constraint constraint : constraints(database)) {
            if (left.merge(shape(constraint), -1, Integer::sum) < 0) {
                added.add(constraint);
            }
        }
        return added;
    }

    /**
     * Whether transactions under the former catalog satisfy all constraints of a database: added
     * ones are about added tables only.
     */
    boolean implyAll(CatalogImage former, Database database) {
        for (Constraint constraint : added(database)) {
            boolean satisfied =
                    isAdded(former, constraint.getTable())
                            && isAdded(former, constraint.getRefTable());
            if (!satisfied) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAdded(CatalogImage former, Table table) {
        return table instanceof RowTable rows && former.table(rows.id()) == null;
    }
}
