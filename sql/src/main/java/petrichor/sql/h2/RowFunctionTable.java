package petrichor.sql.h2;

import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.h2.command.query.AllColumnsForPlan;
import org.h2.engine.Database;
import org.h2.engine.SessionLocal;
import org.h2.index.Cursor;
import org.h2.index.Index;
import org.h2.index.IndexCondition;
import org.h2.index.VirtualTableIndex;
import org.h2.message.DbException;
import org.h2.result.Row;
import org.h2.result.SearchRow;
import org.h2.result.SortOrder;
import org.h2.schema.Schema;
import org.h2.table.Column;
import org.h2.table.IndexColumn;
import org.h2.table.TableFilter;
import org.h2.table.VirtualTable;
import org.h2.value.TypeInfo;
import org.h2.value.Value;
import org.h2.value.ValueBigint;
import org.jspecify.annotations.Nullable;
import petrichor.sql.SqlException;
import petrichor.sql.SqlState;

/**
 * The rows of a function as a table, whose last columns are the arguments: a condition must give
 * each of them a value, which may come from a table that is read before. The optimizer reads it
 * after those, as its cost is infinite without the arguments.
 */
final class RowFunctionTable extends VirtualTable {
    private static final double COST = 10;
    private static final double COST_WITHOUT_ARGUMENTS = 1e18;
    private static final long ROWS_ASSUMED = 100;

    private final RowFunction function;
    private final Arguments index;
    private final Arguments scan;

    private RowFunctionTable(Schema schema, int id, RowFunction function, boolean numbered) {
        super(schema, id, function.table() + (numbered ? "_numbered" : ""));
        this.function = function;
        List<Column> columns = new ArrayList<>();
        for (TypeInfo type : function.columns()) {
            columns.add(new Column("column_" + columns.size(), type));
        }
        Column ordinality = new Column("ordinality", TypeInfo.TYPE_BIGINT);
        ordinality.setVisible(numbered);
        columns.add(ordinality);
        for (TypeInfo type : function.arguments()) {
            Column argument = new Column("argument_" + columns.size(), type);
            argument.setVisible(false);
            columns.add(argument);
        }
        setColumns(columns.toArray(Column[]::new));
        int first = function.columns().size() + 1;
        IndexColumn[] arguments = new IndexColumn[function.arguments().size()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = new IndexColumn(columns.get(first + i));
        }
        this.index = new Arguments(this, arguments);
        this.scan = new Arguments(this, arguments);
    }

    /** Two per function in the schema {@code pg_catalog}: one shows the numbers of its rows. */
    static void define(Database database) {
        Schema schema = database.getSchema("pg_catalog");
        for (RowFunction function : RowFunction.values()) {
            for (boolean numbered : new boolean[] {false, true}) {
                int id = database.allocateObjectId();
                schema.add(new RowFunctionTable(schema, id, function, numbered));
            }
        }
    }

    @Override
    public Index getScanIndex(SessionLocal session) {
        return scan;
    }

    /** Which the optimizer compares with the scan. */
    @Override
    public List<Index> getIndexes() {
        return List.of(index);
    }

    @Override
    public long getMaxDataModificationId() {
        return Long.MAX_VALUE;
    }

    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public boolean canGetRowCount(SessionLocal session) {
        return false;
    }

    @Override
    public long getRowCount(SessionLocal session) {
        return Long.MAX_VALUE;
    }

    @Override
    public long getRowCountApproximation(SessionLocal session) {
        return ROWS_ASSUMED;
    }

    private static final class Arguments extends VirtualTableIndex {
        private final RowFunctionTable rows;

        private Arguments(RowFunctionTable rows, IndexColumn[] columns) {
            super(rows, rows.getName() + "_arguments", columns);
            this.rows = rows;
        }

        @Override
        public double getCost(
                SessionLocal session,
                int @Nullable [] masks,
                TableFilter[] filters,
                int filter,
                @Nullable SortOrder sortOrder,
                @Nullable AllColumnsForPlan allColumns,
                boolean isSelectCommand) {
            for (Column column : columns) {
                boolean given =
                        masks != null
                                && (masks[column.getColumnId()] & IndexCondition.EQUALITY) != 0;
                if (!given) {
                    return COST_WITHOUT_ARGUMENTS;
                }
            }
            return COST;
        }

        @Override
        public Cursor find(
                SessionLocal session,
                @Nullable SearchRow first,
                @Nullable SearchRow last,
                boolean reverse) {
            Value[] arguments = new Value[columns.length];
            boolean missing = false;
            for (int i = 0; i < columns.length; i++) {
                Value value = first == null ? null : first.getValue(columns[i].getColumnId());
                if (value == null) {
                    throw DbException.convert(
                            new SqlException(
                                    SqlState.FEATURE_NOT_SUPPORTED,
                                    "a function that returns rows is read before the table that"
                                            + " its arguments refer to: not supported"));
                }
                missing |= value.getValueType() == Value.NULL;
                arguments[i] = value;
            }
            ZoneId zone = ZoneId.of(session.currentTimeZone().getId());
            Iterator<Value[]> found =
                    missing ? List.<Value[]>of().iterator() : rows.function.rows(arguments, zone);
            return new Found(rows, arguments, found);
        }
    }

    private static final class Found implements Cursor {
        private final RowFunctionTable table;
        private final Value[] arguments;
        private final Iterator<Value[]> rows;
        private long number;
        private @Nullable Row row;

        private Found(RowFunctionTable table, Value[] arguments, Iterator<Value[]> rows) {
            this.table = table;
            this.arguments = arguments;
            this.rows = rows;
        }

        @Override
        public @Nullable Row get() {
            return row;
        }

        @Override
        public @Nullable SearchRow getSearchRow() {
            return row;
        }

        @Override
        public boolean next() {
            if (!rows.hasNext()) {
                row = null;
                return false;
            }
            Value[] values = new Value[table.getColumns().length];
            Value[] found = rows.next();
            System.arraycopy(found, 0, values, 0, found.length);
            number++;
            values[found.length] = ValueBigint.get(number);
            System.arraycopy(arguments, 0, values, found.length + 1, arguments.length);
            row = Row.get(values, 1, number);
            return true;
        }

        @Override
        public boolean previous() {
            throw DbException.getInternalError("rows of a function are read forward");
        }
    }
}
