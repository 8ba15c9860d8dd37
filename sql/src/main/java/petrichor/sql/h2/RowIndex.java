package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.h2.command.query.AllColumnsForPlan;
import org.h2.engine.SessionLocal;
import org.h2.expression.condition.Comparison;
import org.h2.index.Cursor;
import org.h2.index.Index;
import org.h2.index.IndexCondition;
import org.h2.index.IndexCursor;
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

    /** Of a list of values in a condition, keys that are read together. */
    private static final int KEYS_MAX = 1_024;

    private final RowTable rows;

    /** The index of the table that a step of a plan reads through this one; null: this one. */
    private final @Nullable RowIndex origin;

    private final @Nullable TableFilter step;
    private final @Nullable Probes probes;

    /** Ranges that a search would read; null if searches read them. */
    private @Nullable List<KeyRange> computed;

    RowIndex(
            RowTable table,
            int id,
            String name,
            IndexColumn[] columns,
            int uniqueColumns,
            IndexType type) {
        super(table, id, name, columns, uniqueColumns, type);
        this.rows = table;
        this.origin = null;
        this.step = null;
        this.probes = null;
    }

    private RowIndex(RowIndex origin, TableFilter step) {
        super(
                origin.rows,
                origin.getId(),
                origin.getName(),
                origin.getIndexColumns(),
                origin.getUniqueColumnCount(),
                origin.getIndexType());
        this.rows = origin.rows;
        this.origin = origin;
        this.step = step;
        this.probes = new Probes();
    }

    /**
     * The same index for one step of a plan: it reads ahead what the step, and the steps that are
     * joined to it, will search.
     */
    static void bind(TableFilter step) {
        if (step.getIndex() instanceof RowIndex index && index.origin == null) {
            step.setIndex(new RowIndex(index, step), FilterState.reverse(step));
        }
    }

    /** The index of the table. */
    RowIndex origin() {
        return origin == null ? this : origin;
    }

    /** Null unless it belongs to a step of a plan. */
    @Nullable Probes probes() {
        return probes;
    }

    @Override
    public Cursor find(
            SessionLocal session,
            @Nullable SearchRow first,
            @Nullable SearchRow last,
            boolean reverse) {
        List<KeyRange> only = computed;
        if (only != null) {
            KeyRange range = range(first, last, reverse);
            if (only.size() < KEYS_MAX && range.isOneKey()) {
                only.add(range);
            }
            return Probes.cursor(List.of());
        }
        return ReadCounts.counted(
                rows.session(session),
                origin(),
                first,
                last,
                () -> search(session, first, last, reverse));
    }

    private Cursor search(
            SessionLocal session,
            @Nullable SearchRow first,
            @Nullable SearchRow last,
            boolean reverse) {
        KeyRange range = range(first, last, reverse);
        Direction direction = reverse ? Direction.REVERSE : Direction.FORWARD;
        TableFilter reader = step;
        if (reader == null || !rows.session(session).readsAhead()) {
            return new RowsCursor(rows, rows.scan(session, rows.stored(this), range, direction));
        }
        if (first != null && equalsNull(first, FilterState.conditions(reader))) {
            return Probes.cursor(List.of());
        }
        if (range.isOneKey()) {
            List<Row> known = known(session, reader, range);
            if (known != null) {
                return Probes.cursor(known);
            }
        }
        TableAccess.Scan scan = rows.scan(session, rows.stored(this), range, direction);
        return JoinReads.helps(reader)
                ? new BatchCursor(rows, scan, batch -> JoinReads.after(session, reader, batch))
                : new RowsCursor(rows, scan);
    }

    /** Whether no row can be found, as a column would have to be equal to NULL. */
    private static boolean equalsNull(SearchRow searched, List<IndexCondition> conditions) {
        for (IndexCondition condition : conditions) {
            if (condition.getCompareType() == Comparison.EQUAL && !condition.isCompoundColumns()) {
                int column = condition.getColumn().getColumnId();
                if (column >= 0 && ValueNull.INSTANCE.equals(searched.getValue(column))) {
                    return true;
                }
            }
        }
        return false;
    }

    private KeyRange range(@Nullable SearchRow first, @Nullable SearchRow last, boolean reverse) {
        return indexType.isScan()
                ? rows.format().rows()
                : rows.format()
                        .range(
                                rows.stored(this),
                                bound(reverse ? last : first),
                                bound(reverse ? first : last));
    }

    /** A row that was read ahead, or is now with the other values of a list; null if it was not. */
    private @Nullable List<Row> known(SessionLocal session, TableFilter reader, KeyRange range) {
        if (probes == null) {
            return null;
        }
        long execution = rows.session(session).execution();
        List<Row> known = probes.rows(execution, range);
        if (known != null) {
            return known;
        }
        List<IndexCondition> conditions = FilterState.conditions(reader);
        boolean list = conditions.stream().anyMatch(one -> one.getExpressionList() != null);
        if (!list || !FilterState.repeatable(conditions)) {
            return null;
        }
        Map<KeyRange, List<Row>> read =
                readAhead(session, new LinkedHashSet<>(keys(session, reader)));
        if (JoinReads.helps(reader)) {
            JoinReads.after(session, reader, read.values().stream().flatMap(List::stream).toList());
        }
        return read.get(range);
    }

    /** The single keys that a step searches now, with the current rows of the steps before it. */
    List<KeyRange> keys(SessionLocal session, TableFilter reader) {
        List<KeyRange> keys = new ArrayList<>();
        IndexCursor cursor = new IndexCursor();
        cursor.setIndex(this, FilterState.reverse(reader));
        computed = keys;
        try {
            cursor.find(session, FilterState.conditions(reader));
            boolean none = !cursor.isAlwaysFalse() && !cursor.next();
            return none ? keys : List.of();
        } finally {
            computed = null;
        }
    }

    /** Reads single keys together, and keeps their rows for the searches of this execution. */
    Map<KeyRange, List<Row>> readAhead(SessionLocal session, Set<KeyRange> keys) {
        Map<KeyRange, List<Row>> read = new HashMap<>();
        if (keys.isEmpty() || probes == null) {
            return read;
        }
        List<byte[]> asked = keys.stream().map(KeyRange::from).toList();
        List<@Nullable TableRow> found =
                rows.access(session)
                        .rows(rows.stored(this), asked, rows.session(session).readMark());
        int at = 0;
        for (KeyRange key : keys) {
            TableRow row = found.get(at++);
            read.put(key, row == null ? List.of() : List.of(rows.row(row)));
        }
        probes.put(rows.session(session).execution(), read);
        return read;
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

    /** Reads ahead what is joined to each batch of rows. Confined to the session's thread. */
    private static final class BatchCursor implements Cursor {
        private final RowTable table;
        private final TableAccess.Scan scan;
        private final Consumer<List<Row>> joined;
        private Cursor batch = Probes.cursor(List.of());

        BatchCursor(RowTable table, TableAccess.Scan scan, Consumer<List<Row>> joined) {
            this.table = table;
            this.scan = scan;
            this.joined = joined;
        }

        @Override
        public @Nullable Row get() {
            return batch.get();
        }

        @Override
        public @Nullable SearchRow getSearchRow() {
            return batch.get();
        }

        @Override
        public boolean next() {
            if (batch.next()) {
                return true;
            }
            List<Row> rows = scan.nextBatch().stream().map(table::row).toList();
            if (rows.size() > 1) {
                joined.accept(rows);
            }
            batch = Probes.cursor(rows);
            return batch.next();
        }

        @Override
        public boolean previous() {
            throw DbException.getInternalError("a scan reads in one direction");
        }
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
        rows.catalog().planned(session, filters);
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
