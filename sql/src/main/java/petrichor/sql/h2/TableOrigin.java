package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.h2.api.ErrorCode;
import org.h2.command.ddl.CreateTableData;
import org.h2.engine.SessionLocal;
import org.h2.expression.Expression;
import org.h2.expression.ExpressionVisitor;
import org.h2.expression.function.CastSpecification;
import org.h2.expression.function.CurrentDateTimeValueFunction;
import org.h2.message.DbException;
import org.h2.table.Column;
import org.h2.table.Table;
import org.h2.value.Value;
import org.h2.value.ValueNull;
import org.jspecify.annotations.Nullable;
import petrichor.tables.ColumnType;
import petrichor.tables.StoredColumn;
import petrichor.tables.StoredIndex;
import petrichor.tables.StoredTable;

/**
 * What a table of H2 has from the stored catalog: its id, and the ids of its columns and indexes.
 *
 * <p>H2 adds and drops columns by creating a second table, which replaces the first one. The second
 * one takes over the id of the first, so that its rows and index entries stay where they are: rows
 * that were written before an added column have its missing value, and values of a dropped column
 * are not read. Confined to the schema change, then immutable.
 */
final class TableOrigin {
    private final int id;
    private final @Nullable StoredTable former;
    private final List<StoredColumn> columns;
    private final int nextColumn;

    /** Precedes the names of indexes until the second table has replaced the first one; or null. */
    private final @Nullable String temporaryPrefix;

    private final Set<Integer> taken = new HashSet<>();

    private TableOrigin(
            int id,
            @Nullable StoredTable former,
            List<StoredColumn> columns,
            int nextColumn,
            @Nullable String temporaryPrefix) {
        this.id = id;
        this.former = former;
        this.columns = columns;
        this.nextColumn = nextColumn;
        this.temporaryPrefix = temporaryPrefix;
    }

    static TableOrigin of(CreateTableData data, H2Catalog catalog) {
        String schema = data.schema.getName();
        StoredTable replayed =
                catalog.replaying() ? catalog.replayed(schema, data.tableName) : null;
        if (replayed != null) {
            return new TableOrigin(
                    replayed.id(), replayed, replayed.columns(), replayed.nextColumn(), null);
        }
        TableOrigin altered = catalog.replaying() ? null : altered(data, catalog);
        return altered != null
                ? altered
                : new TableOrigin(catalog.nextId(), null, List.of(), data.columns.size() + 1, null);
    }

    /** Null if this is not the second table of a change that leaves the rows as they are. */
    private static @Nullable TableOrigin altered(CreateTableData data, H2Catalog catalog) {
        int end = data.tableName.lastIndexOf("_COPY_" + data.session.getId() + "_");
        Table first =
                end > 0 && catalog.rows(data.session).keepsRows()
                        ? data.schema.findTableOrView(
                                data.session, data.tableName.substring(0, end))
                        : null;
        if (!(first instanceof RowTable rows)) {
            return null;
        }
        StoredTable former = rows.describe();
        Map<String, StoredColumn> known = new HashMap<>();
        former.columns().forEach(column -> known.put(column.name(), column));
        List<StoredColumn> columns = new ArrayList<>();
        int next = former.nextColumn();
        for (Column column : data.columns) {
            ColumnType type = Values.type(column.getType());
            StoredColumn same = known.get(column.getName());
            if (same != null) {
                columns.add(same);
            } else if (column.isGenerated() || column.isIdentity() || isVolatile(data, column)) {
                return null;
            } else {
                Object missing = missing(data.session, rows, column);
                columns.add(
                        new StoredColumn(
                                next++, column.getName(), type, column.isNullable(), missing));
            }
        }
        rows.replacedWithItsRows();
        return new TableOrigin(former.id(), former, columns, next, data.tableName + "_");
    }

    /** Whether each row needs a value of its own. */
    private static boolean isVolatile(CreateTableData data, Column column) {
        Expression value = column.getEffectiveDefaultExpression();
        if (column.getSequence() != null) {
            return true;
        }
        if (value == null) {
            return false;
        }
        Expression evaluated = value.optimize(data.session);
        while (evaluated instanceof CastSpecification) {
            evaluated = evaluated.getSubexpression(0);
        }
        return !(evaluated instanceof CurrentDateTimeValueFunction)
                && !evaluated.isEverything(ExpressionVisitor.DETERMINISTIC_VISITOR);
    }

    private static @Nullable Object missing(SessionLocal session, RowTable first, Column column) {
        Expression expression = column.getEffectiveDefaultExpression();
        Value value =
                expression == null
                        ? ValueNull.INSTANCE
                        : expression
                                .optimize(session)
                                .getValue(session)
                                .convertForAssignTo(column.getType(), session, column.getName());
        if (column.getDomain() != null) {
            column.getDomain().checkConstraints(session, value);
        }
        if (value.equals(ValueNull.INSTANCE) && !column.isNullable() && !first.isEmpty(session)) {
            throw DbException.get(ErrorCode.NULL_NOT_ALLOWED, column.getName());
        }
        return Values.toJava(value);
    }

    int id() {
        return id;
    }

    List<StoredIndex.Part> primaryKey() {
        return former == null ? List.of() : former.primaryKey();
    }

    /** Whether the rows already have this primary key. */
    boolean hasPrimaryKey(boolean replaying, List<StoredIndex.Part> parts) {
        return replaying || (former != null && former.primaryKey().equals(parts));
    }

    /** The stored column at a position; a new one if it has none. */
    StoredColumn column(int position, Column column) {
        StoredColumn known = position < columns.size() ? columns.get(position) : null;
        return new StoredColumn(
                known == null ? position + 1 : known.id(),
                column.getName(),
                Values.type(column.getType()),
                column.isNullable(),
                known == null ? null : known.missing());
    }

    int nextColumn() {
        return nextColumn;
    }

    /** The stored index that an index of H2 is; null if it is a new one. */
    @Nullable StoredIndex index(
            boolean replaying, String name, boolean unique, List<StoredIndex.Part> parts) {
        StoredIndex found = null;
        if (former != null && replaying) {
            found = named(former, name);
        } else if (former != null && temporaryPrefix != null) {
            if (name.startsWith(temporaryPrefix)) {
                found = named(former, name.substring(temporaryPrefix.length()));
            }
            for (StoredIndex index : former.indexes()) {
                boolean same = index.unique() == unique && index.parts().equals(parts);
                if (found == null && same && !taken.contains(index.id())) {
                    found = index;
                }
            }
        }
        if (found != null) {
            taken.add(found.id());
        }
        return found;
    }

    private static @Nullable StoredIndex named(StoredTable former, String name) {
        for (StoredIndex index : former.indexes()) {
            if (index.name().equals(name)) {
                return index;
            }
        }
        return null;
    }
}
