package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.h2.api.ErrorCode;
import org.h2.command.CommandInterface;
import org.h2.command.ParserBase;
import org.h2.command.Prepared;
import org.h2.constraint.Constraint;
import org.h2.constraint.ConstraintUnique;
import org.h2.engine.Database;
import org.h2.message.DbException;
import org.h2.result.SortOrder;
import org.h2.schema.Schema;
import org.h2.table.IndexColumn;
import org.h2.table.Table;
import org.h2.util.HasSQL;
import org.jspecify.annotations.Nullable;
import petrichor.tables.StoredIndex;
import petrichor.tables.StoredTable;

/** The columns of indexes and primary keys, and what is refused there. */
final class IndexColumns {
    private IndexColumns() {}

    static void markPrimaryKey(IndexColumn[] columns) {
        for (IndexColumn column : columns) {
            if (column.column.isNullable()) {
                throw DbException.get(
                        ErrorCode.COLUMN_MUST_NOT_BE_NULLABLE_1, column.column.getName());
            }
        }
        for (IndexColumn column : columns) {
            column.column.setPrimaryKey(true);
        }
    }

    static List<StoredIndex.Part> parts(StoredTable table, IndexColumn[] columns) {
        List<StoredIndex.Part> parts = new ArrayList<>();
        for (IndexColumn column : columns) {
            boolean descending = (column.sortType & SortOrder.DESCENDING) != 0;
            int nulls = descending ? SortOrder.NULLS_LAST : SortOrder.NULLS_FIRST;
            if ((column.sortType & nulls) != 0) {
                throw H2Errors.unsupported("this order of NULLs in an index");
            }
            if (!Values.ordered(column.column.getType())) {
                throw H2Errors.unsupported(
                        "keys and indexes on columns of type "
                                + column.column.getType().getTraceSQL());
            }
            int position = column.column.getColumnId();
            parts.add(new StoredIndex.Part(table.columns().get(position).id(), descending));
        }
        return parts;
    }

    /** Whether a schema change adds columns without computed values, or drops columns. */
    static boolean changesColumnsOnly(Prepared change, String text) {
        return switch (change.getType()) {
            case CommandInterface.ALTER_TABLE_DROP_COLUMN -> true;
            case CommandInterface.ALTER_TABLE_ADD_COLUMN ->
                    !text.toUpperCase(Locale.ROOT).contains("USING");
            default -> false;
        };
    }

    /** The statement that drops an index, or the constraint that it belongs to; null if none. */
    static @Nullable String dropping(Database database, int table, int index) {
        for (Schema schema : database.getAllSchemasNoMeta()) {
            for (Table each : schema.getAllTablesAndViews(null)) {
                RowIndex found =
                        each instanceof RowTable rows && rows.id() == table
                                ? rows.index(index)
                                : null;
                if (found != null) {
                    return dropping(each, found);
                }
            }
        }
        return null;
    }

    private static String dropping(Table table, RowIndex index) {
        Iterable<Constraint> constraints = table.getConstraints();
        for (Constraint constraint : constraints == null ? List.<Constraint>of() : constraints) {
            if (constraint instanceof ConstraintUnique unique && index.equals(unique.getIndex())) {
                return "ALTER TABLE "
                        + table.getSQL(HasSQL.DEFAULT_SQL_FLAGS)
                        + " DROP CONSTRAINT "
                        + ParserBase.quoteIdentifier(
                                constraint.getName(), HasSQL.DEFAULT_SQL_FLAGS);
            }
        }
        return "DROP INDEX " + index.getSQL(HasSQL.DEFAULT_SQL_FLAGS);
    }
}
