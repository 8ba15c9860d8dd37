package petrichor.sql.h2;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.h2.api.ErrorCode;
import org.h2.command.ddl.CreateTableData;
import org.h2.constraint.Constraint;
import org.h2.constraint.ConstraintReferential;
import org.h2.engine.SessionLocal;
import org.h2.index.Index;
import org.h2.index.IndexType;
import org.h2.message.DbException;
import org.h2.result.LocalResult;
import org.h2.result.Row;
import org.h2.result.SearchRow;
import org.h2.table.Column;
import org.h2.table.IndexColumn;
import org.h2.table.TableBase;
import org.h2.table.TableType;
import org.h2.value.TypeInfo;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.tables.StoredColumn;
import petrichor.tables.StoredIndex;
import petrichor.tables.StoredTable;
import petrichor.tables.TableAccess;
import petrichor.tables.TableFormat;
import petrichor.tables.TableRow;

/** A table of H2 whose rows are ours. */
final class RowTable extends TableBase {
    private final H2Catalog catalog;
    private final TableOrigin origin;
    private final List<StoredIndex.Part> primaryKey = new ArrayList<>();
    private final RowIndex scan;
    private final List<Index> indexes = Collections.synchronizedList(new ArrayList<>());

    /** Not used by queries. */
    private final List<Index> unreadable = Collections.synchronizedList(new ArrayList<>());

    private final Map<RowIndex, StoredIndex> stored = new ConcurrentHashMap<>();
    private final @Nullable Column rowId;
    private volatile TableFormat format;
    private boolean dropping;

    /** Another table has its rows: a scan finds none. */
    private boolean replaced;

    RowTable(CreateTableData data, H2Catalog catalog) {
        super(data);
        this.catalog = catalog;
        this.origin = TableOrigin.of(data, catalog);
        primaryKey.addAll(origin.primaryKey());
        Values.requireStorable(getColumns());
        Column number = new Column(Column.ROWID, TypeInfo.TYPE_BIGINT, this, SearchRow.ROWID_INDEX);
        number.setRowId(true);
        number.setNullable(false);
        this.rowId = number;
        this.format = new TableFormat(describe());
        this.scan =
                new RowIndex(
                        this,
                        getId(),
                        getName() + "_rows",
                        IndexColumn.wrap(getColumns()),
                        0,
                        IndexType.createScan(true));
        indexes.add(scan);
    }

    @Override
    public void convertInsertRow(SessionLocal session, Row row, @Nullable Boolean overriding) {
        AssignedTexts.read(session, getColumns(), row);
        super.convertInsertRow(session, row, overriding);
    }

    @Override
    public void convertUpdateRow(SessionLocal session, Row row, boolean fromTrigger) {
        AssignedTexts.read(session, getColumns(), row);
        super.convertUpdateRow(session, row, fromTrigger);
    }

    /** How its rows are stored now. */
    StoredTable describe() {
        List<StoredColumn> columns = new ArrayList<>();
        for (Column column : getColumns()) {
            columns.add(origin.column(columns.size(), column));
        }
        List<StoredIndex> described = new ArrayList<>();
        List<Index> defined = new ArrayList<>(indexes == null ? List.of() : indexes);
        defined.addAll(unreadable == null ? List.of() : unreadable);
        for (Index index : defined) {
            StoredIndex known = stored.get(index);
            if (known != null) {
                described.add(
                        new StoredIndex(
                                known.id(),
                                index.getName(),
                                known.unique(),
                                known.state(),
                                known.parts()));
            }
        }
        return new StoredTable(
                origin.id(),
                getSchema().getName(),
                getName(),
                columns,
                primaryKey,
                described,
                origin.nextColumn());
    }

    /** Its rows belong to the table that replaces it from now on. */
    void replacedWithItsRows() {
        replaced = true;
    }

    TableFormat format() {
        return format;
    }

    H2Catalog catalog() {
        return catalog;
    }

    RowSession session(SessionLocal session) {
        return catalog.rows(session);
    }

    TableAccess access(SessionLocal session) {
        return catalog.store().access(session(session).transaction(), format);
    }

    @Nullable Object[] values(SearchRow row) {
        int count = getColumns().length;
        @Nullable Object[] values = new @Nullable Object[count];
        for (int i = 0; i < count; i++) {
            values[i] = Values.toJava(row.getValue(i));
        }
        return values;
    }

    Row row(TableRow found) {
        Column[] columns = getColumns();
        Value[] values = new Value[columns.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = Values.toH2(found.values()[i], columns[i].getType());
        }
        Row row = Row.get(values, Row.MEMORY_CALCULATE);
        row.setKey(format.rowNumber(found.key()));
        return row;
    }

    byte[] key(Row row, @Nullable Object[] values) {
        return primaryKey.isEmpty() ? format.rowKey(row.getKey()) : format.rowKey(values);
    }

    private @Nullable Row get(SessionLocal session, byte[] key, int mark) {
        TableRow found = access(session).get(key, mark);
        return found == null ? null : row(found);
    }

    @Override
    public void addRow(SessionLocal session, Row row) {
        ConflictResolution conflict = catalog.rows(session).conflict(this);
        if (conflict == null) {
            insert(session, row, false);
        } else {
            conflict.add(session, row);
        }
    }

    private void insert(SessionLocal session, Row row, boolean keepNumber) {
        if (tryInsert(session, row, keepNumber)
                instanceof TableAccess.Insertion.Duplicate duplicate) {
            throw DuplicateKey.of(format.table(), duplicate.index(), values(row));
        }
    }

    TableAccess.Insertion tryInsert(SessionLocal session, Row row, boolean keepNumber) {
        @Nullable Object[] values = values(row);
        TableAccess access = access(session);
        TableAccess.Insertion insertion =
                keepNumber && primaryKey.isEmpty()
                        ? access.insert(row.getKey(), values)
                        : access.insert(values);
        if (insertion instanceof TableAccess.Insertion.Inserted inserted) {
            row.setKey(format.rowNumber(inserted.key()));
        }
        return insertion;
    }

    /**
     * The row that has the values of this one in a unique index; null if there is none.
     *
     * @param index null for the primary key
     */
    @Nullable TableRow existing(SessionLocal session, @Nullable StoredIndex index, Row row) {
        return access(session).existing(index, values(row));
    }

    @Override
    public boolean isRowLockable() {
        return true;
    }

    @Override
    public @Nullable Row lockRow(SessionLocal session, Row row, int clauseMillis) {
        byte[] key = key(row, values(row));
        RowSession rows = session(session);
        return rows.locks()
                .lock(getName(), key, row, clauseMillis, () -> get(session, key, rows.readMark()));
    }

    @Override
    public void removeRow(SessionLocal session, Row row) {
        @Nullable Object[] values = values(row);
        if (!access(session).remove(key(row, values), values)) {
            throw DbException.get(ErrorCode.ROW_NOT_FOUND_WHEN_DELETING_1, getName());
        }
    }

    @Override
    public void updateRow(SessionLocal session, Row oldRow, Row newRow) {
        removeRow(session, oldRow);
        insert(session, newRow, true);
    }

    @Override
    public void updateRows(SessionLocal session, LocalResult rows, Runnable cancellationCheck) {
        while (rows.next()) {
            cancellationCheck.run();
            removeRow(session, rows.currentRowForTable());
            rows.next();
        }
        rows.reset();
        while (rows.next()) {
            cancellationCheck.run();
            rows.next();
            insert(session, rows.currentRowForTable(), true);
        }
    }

    @Override
    public boolean fireBeforeRow(SessionLocal session, @Nullable Row oldRow, @Nullable Row newRow) {
        RowSession checking = catalog.rows(session);
        checking.beginCheck();
        try {
            return super.fireBeforeRow(session, oldRow, newRow);
        } finally {
            checking.endCheck();
        }
    }

    @Override
    public void fireAfterRow(
            SessionLocal session, @Nullable Row oldRow, @Nullable Row newRow, boolean rollback) {
        RowSession checking = catalog.rows(session);
        checking.beginCheck();
        try {
            super.fireAfterRow(session, oldRow, newRow, rollback);
        } finally {
            checking.endCheck();
        }
    }

    @Override
    public boolean canTruncate() {
        for (Constraint constraint : getConstraints()) {
            if (constraint instanceof ConstraintReferential reference
                    && reference.getRefTable().equals(this)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public long truncate(SessionLocal session) {
        return access(session).removeAll();
    }

    @Override
    public Index addIndex(
            SessionLocal session,
            @Nullable String indexName,
            int indexId,
            IndexColumn[] columns,
            int uniqueColumns,
            IndexType type,
            boolean create,
            @Nullable String comment) {
        if (indexName == null || type.isSpatial() || type.isHash()) {
            throw H2Errors.unsupported("this kind of index");
        }
        if (uniqueColumns > 0 && uniqueColumns < columns.length) {
            throw H2Errors.unsupported("INCLUDE columns of an index");
        }
        List<StoredIndex.Part> parts = IndexColumns.parts(format.table(), columns);
        getDatabase().lockMeta(session);
        RowIndex index = new RowIndex(this, indexId, indexName, columns, uniqueColumns, type);
        boolean unique = type.isUnique() || type.isPrimaryKey();
        StoredIndex before = origin.index(catalog.replaying(), indexName, unique, parts);
        boolean primary = type.isPrimaryKey() && before == null;
        if (primary && origin.hasPrimaryKey(catalog.replaying(), parts)) {
            IndexColumns.markPrimaryKey(columns);
        } else if (primary && isEmpty(session)) {
            IndexColumns.markPrimaryKey(columns);
            primaryKey.addAll(parts);
        } else {
            if (type.isPrimaryKey()) {
                IndexColumns.markPrimaryKey(columns);
            }
            StoredIndex added =
                    before != null
                            ? before
                            : new StoredIndex(
                                    catalog.nextId(),
                                    indexName,
                                    unique,
                                    catalog.rows(session).stateOfNewIndexes(),
                                    parts);
            if (before == null && added.readable()) {
                fill(session, added);
            }
            stored.put(index, added);
        }
        if (index.getCreateSQL() != null) {
            index.setComment(comment);
            getDatabase().addSchemaObject(session, index);
        }
        StoredIndex now = stored.get(index);
        (now == null || now.readable() ? indexes : unreadable).add(index);
        format = new TableFormat(describe());
        setModified();
        return index;
    }

    boolean isEmpty(SessionLocal session) {
        RowSession checking = catalog.rows(session);
        checking.beginCheck();
        try {
            return scan(session, null, format.rows(), Direction.FORWARD).next() == null;
        } finally {
            checking.endCheck();
        }
    }

    TableAccess.Scan scan(
            SessionLocal session,
            @Nullable StoredIndex index,
            KeyRange range,
            Direction direction) {
        int mark = catalog.rows(session).readMark();
        TableAccess access = access(session);
        if (replaced) {
            return access.rows(new KeyRange(range.from(), range.from()), direction, mark);
        }
        return index == null
                ? access.rows(range, direction, mark)
                : access.rows(index, range, direction, mark);
    }

    private void fill(SessionLocal session, StoredIndex index) {
        catalog.rows(session).refuseLargeTable(access(session));
        @Nullable Object[] duplicate = access(session).fill(index);
        if (duplicate != null) {
            throw DuplicateKey.of(format.table(), index, duplicate);
        }
    }

    int id() {
        return origin.id();
    }

    /** Also if queries do not use it; null if there is none. */
    @Nullable RowIndex index(int storedId) {
        for (Map.Entry<RowIndex, StoredIndex> entry : stored.entrySet()) {
            if (entry.getValue().id() == storedId) {
                return entry.getKey();
            }
        }
        return null;
    }

    @Nullable StoredIndex stored(RowIndex index) {
        return stored.get(index.origin());
    }

    @Override
    public void removeIndex(Index index) {
        super.removeIndex(index);
        unreadable.remove(index);
        if (stored.remove(index) != null) {
            format = new TableFormat(describe());
        } else if (!dropping && !index.getIndexType().isScan()) {
            throw H2Errors.unsupported("dropping the primary key of a table; create a new table");
        }
    }

    @Override
    public void removeChildrenAndResources(SessionLocal session) {
        dropping = true;
        super.removeChildrenAndResources(session);
        indexes.addAll(unreadable);
        unreadable.clear();
        while (indexes.size() > 1) {
            Index index = indexes.get(1);
            if (index.getName() != null) {
                getDatabase().removeSchemaObject(session, index);
            }
            indexes.remove(index);
        }
        indexes.clear();
        invalidate();
    }

    @Override
    public Index getScanIndex(SessionLocal session) {
        return scan;
    }

    @Override
    public List<Index> getIndexes() {
        return indexes;
    }

    @Override
    public @Nullable Column getRowIdColumn() {
        return rowId;
    }

    @Override
    public void close(SessionLocal session) {
        // The rows are not here.
    }

    @Override
    public void checkSupportAlter() {
        // Supported.
    }

    @Override
    public TableType getTableType() {
        return TableType.TABLE;
    }

    /** Other transactions and servers change the rows: results of queries are not kept. */
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
    public boolean canDrop() {
        return true;
    }

    @Override
    public long getRowCount(SessionLocal session) {
        long count = 0;
        TableAccess.Scan rows = scan(session, null, format.rows(), Direction.FORWARD);
        while (rows.next() != null) {
            count++;
        }
        return count;
    }

    @Override
    public long getRowCountApproximation(SessionLocal session) {
        return RowEstimate.ASSUMED_ROWS;
    }
}
