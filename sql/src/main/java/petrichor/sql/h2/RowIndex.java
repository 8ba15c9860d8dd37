package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.List;
import org.h2.command.query.AllColumnsForPlan;
import org.h2.engine.SessionLocal;
import org.h2.index.Cursor;
import org.h2.index.Index;
import org.h2.index.IndexType;
import org.h2.index.SingleRowCursor;
import org.h2.message.DbException;
import org.h2.result.Row;
import org.h2.result.SearchRow;
import org.h2.result.SortOrder;
import org.h2.table.Column;
import org.h2.table.IndexColumn;
import org.h2.table.TableFilter;
import org.h2.value.Value;
import org.h2.value.ValueNull;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.tables.StoredIndex;
import petrichor.tables.TableAccess;
import petrichor.tables.TableRow;

/** An index, the primary key, or all rows of a table. */
final class RowIndex extends Index {
    /** What H2 adds to the cost of an index whose order is not that of the query, at least. */
    private static final long H2_SORT_COST = 101;

    private final RowTable rows;

    RowIndex(
            RowTable table,
            int id,
            String name,
            IndexColumn[] columns,
            int uniqueColumns,
            IndexType type) {
        super(table, id, name, columns, uniqueColumns, type);
        this.rows = table;
    }

    @Override
    public Cursor find(
            SessionLocal session,
            @Nullable SearchRow first,
            @Nullable SearchRow last,
            boolean reverse) {
        return ReadCounts.counted(
                rows.session(session),
                this,
                first,
                last,
                () -> search(session, first, last, reverse));
    }

    private Cursor search(
            SessionLocal session,
            @Nullable SearchRow first,
            @Nullable SearchRow last,
            boolean reverse) {
        SearchRow low = reverse ? last : first;
        SearchRow high = reverse ? first : last;
        KeyRange range =
                indexType.isScan()
                        ? rows.format().rows()
                        : rows.format().range(rows.stored(this), bound(low), bound(high));
        Direction direction = reverse ? Direction.REVERSE : Direction.FORWARD;
        return new RowsCursor(rows, rows.scan(session, rows.stored(this), range, direction));
    }

    private List<@Nullable Object> bound(@Nullable SearchRow row) {
        List<@Nullable Object> values = new ArrayList<>();
        if (row == null) {
            return values;
        }
        for (int column : columnIds) {
            Value value = row.getValue(column);
            if (value == null) {
                break;
            }
            values.add(
                    Values.toJava(value.convertTo(table.getColumn(column).getType(), null, null)));
        }
        return values;
    }

    /** Confined to the session's thread. */
    private static final class RowsCursor implements Cursor {
        private final RowTable table;
        private final TableAccess.@Nullable Scan scan;
        private @Nullable Row current;

        RowsCursor(RowTable table, TableAccess.@Nullable Scan scan) {
            this.table = table;
            this.scan = scan;
        }

        @Override
        public @Nullable Row get() {
            return current;
        }

        @Override
        public @Nullable SearchRow getSearchRow() {
            return current;
        }

        @Override
        public boolean next() {
            TableRow found = scan == null ? null : scan.next();
            current = found == null ? null : table.row(found);
            return found != null;
        }

        @Override
        public boolean previous() {
            throw DbException.getInternalError("a scan reads in one direction");
        }
    }

    @Override
    public double getCost(
            SessionLocal session,
            int @Nullable [] masks,
            TableFilter[] filters,
            int filter,
            SortOrder sortOrder,
            AllColumnsForPlan allColumnsSet,
            boolean isSelectCommand) {
        boolean ordered =
                filter != 0
                        || sortOrder == null
                        || (!indexType.isScan()
                                && inOrder(masks, filters, sortOrder, allColumnsSet));
        return RowEstimate.cost(this, masks, rows.stored(this) != null, !ordered);
    }

    /** Whether H2 reads the rows in the order of this index instead of sorting them. */
    private boolean inOrder(
            int @Nullable [] masks,
            TableFilter[] filters,
            SortOrder sortOrder,
            AllColumnsForPlan allColumnsSet) {
        long unsorted = rangeCost(masks, filters, null, allColumnsSet);
        return rangeCost(masks, filters, sortOrder, allColumnsSet) - unsorted < H2_SORT_COST;
    }

    private long rangeCost(
            int @Nullable [] masks,
            TableFilter[] filters,
            @Nullable SortOrder sortOrder,
            AllColumnsForPlan allColumnsSet) {
        return getCostRangeIndex(
                masks, RowEstimate.ASSUMED_ROWS, filters, 0, sortOrder, false, allColumnsSet, true);
    }

    @Override
    public @Nullable String getCreateSQL() {
        return indexType.isScan() ? null : super.getCreateSQL();
    }

    /** H2 would search all rows once per value of IN. */
    @Override
    public boolean isFindUsingFullTableScan() {
        return indexType.isScan();
    }

    @Override
    public int getColumnIndex(Column column) {
        return indexType.isScan() ? -1 : super.getColumnIndex(column);
    }

    @Override
    public boolean isFirstColumn(Column column) {
        return !indexType.isScan() && super.isFirstColumn(column);
    }

    @Override
    public boolean canGetFirstOrLast() {
        return !indexType.isScan();
    }

    @Override
    public Cursor findFirstOrLast(SessionLocal session, boolean first) {
        StoredIndex stored = rows.stored(this);
        KeyRange range = rows.format().range(stored, List.of(), List.of());
        Direction direction = first ? Direction.FORWARD : Direction.REVERSE;
        TableAccess.Scan scan = rows.scan(session, stored, range, direction);
        TableRow found = scan.next();
        while (found != null) {
            Row row = rows.row(found);
            if (!row.getValue(columnIds[0]).equals(ValueNull.INSTANCE)) {
                return new SingleRowCursor(row);
            }
            found = scan.next();
        }
        return new RowsCursor(rows, null);
    }

    @Override
    public void close(SessionLocal session) {
        // Nothing is open.
    }

    @Override
    public void add(SessionLocal session, Row row) {
        throw DbException.getInternalError("the table maintains its indexes");
    }

    @Override
    public void remove(SessionLocal session, Row row) {
        throw DbException.getInternalError("the table maintains its indexes");
    }

    @Override
    public void remove(SessionLocal session) {
        // Entries of a dropped index are removed after the commit.
    }

    @Override
    public void truncate(SessionLocal session) {
        // The table removes the entries.
    }

    @Override
    public boolean needRebuild() {
        return false;
    }

    @Override
    public long getRowCount(SessionLocal session) {
        return rows.getRowCount(session);
    }

    @Override
    public long getRowCountApproximation(SessionLocal session) {
        return RowEstimate.ASSUMED_ROWS;
    }
}
