package petrichor.sql.h2;

import com.google.datastore.v1.Entity;
import org.h2.command.query.AllColumnsForPlan;
import org.h2.engine.SessionLocal;
import org.h2.index.Cursor;
import org.h2.index.Index;
import org.h2.index.IndexCondition;
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
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.sql.entities.EntityColumns;
import petrichor.sql.entities.KindRows;

/** All entities of a kind, or one by its key. */
final class EntityIndex extends Index {
    /** Twice that of a row of a table. */
    private static final int SCAN_COST = 2;

    private static final int KEY_COST = 22;

    private final EntityTable entities;

    EntityIndex(EntityTable table, int id, String name, IndexColumn[] columns, IndexType type) {
        super(table, id, name, columns, type.isScan() ? 0 : columns.length, type);
        this.entities = table;
    }

    @Override
    public Cursor find(
            SessionLocal session,
            @Nullable SearchRow first,
            @Nullable SearchRow last,
            boolean reverse) {
        return ReadCounts.counted(
                entities.session(session),
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
        Value key = bound(first);
        if (key != null && key.equals(bound(last))) {
            return new SingleRowCursor(entities.find(session, key.getString()));
        }
        return new EntityCursor(
                entities.scan(session, reverse ? Direction.REVERSE : Direction.FORWARD));
    }

    private @Nullable Value bound(@Nullable SearchRow row) {
        return indexType.isScan() || row == null ? null : row.getValue(EntityColumns.KEY_AT);
    }

    /** Confined to the session's thread. */
    private final class EntityCursor implements Cursor {
        private final KindRows.Scan scan;
        private @Nullable Row current;

        EntityCursor(KindRows.Scan scan) {
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
            Entity found = scan.next();
            current = found == null ? null : entities.row(found);
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
        if (indexType.isScan()) {
            return (double) SCAN_COST * RowEstimate.ASSUMED_ROWS;
        }
        boolean equal =
                masks != null
                        && (masks[EntityColumns.KEY_AT] & IndexCondition.EQUALITY)
                                == IndexCondition.EQUALITY;
        return equal ? KEY_COST : Long.MAX_VALUE;
    }

    @Override
    public @Nullable String getCreateSQL() {
        return null;
    }

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
        return false;
    }

    @Override
    public void close(SessionLocal session) {
        // Nothing is open.
    }

    @Override
    public void add(SessionLocal session, Row row) {
        throw DbException.getInternalError("the entity layer maintains the indexes");
    }

    @Override
    public void remove(SessionLocal session, Row row) {
        throw DbException.getInternalError("the entity layer maintains the indexes");
    }

    @Override
    public void remove(SessionLocal session) {
        throw DbException.getInternalError("a kind is not dropped");
    }

    @Override
    public void truncate(SessionLocal session) {
        throw DbException.getInternalError("a kind is not truncated");
    }

    @Override
    public boolean needRebuild() {
        return false;
    }

    @Override
    public long getRowCount(SessionLocal session) {
        return entities.getRowCount(session);
    }

    @Override
    public long getRowCountApproximation(SessionLocal session) {
        return RowEstimate.ASSUMED_ROWS;
    }
}
