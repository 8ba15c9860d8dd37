package petrichor.sql.h2;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.h2.api.ErrorCode;
import org.h2.command.ddl.CreateTableData;
import org.h2.engine.NullsDistinct;
import org.h2.engine.SessionLocal;
import org.h2.index.Index;
import org.h2.index.IndexType;
import org.h2.message.DbException;
import org.h2.result.LocalResult;
import org.h2.result.Row;
import org.h2.result.SearchRow;
import org.h2.schema.Schema;
import org.h2.table.Column;
import org.h2.table.IndexColumn;
import org.h2.table.TableBase;
import org.h2.table.TableType;
import org.h2.value.TypeInfo;
import org.jspecify.annotations.Nullable;
import petrichor.kv.Direction;
import petrichor.sql.entities.EntityColumns;
import petrichor.sql.entities.KindColumns;
import petrichor.sql.entities.KindRows;
import petrichor.sql.entities.PropertyType;
import petrichor.tables.TableTransaction;

/**
 * A kind as a table: columns of the key, of each property, and the whole entity as JSON. Writes go
 * through the entity layer: rows and indexes are those of the Datastore API.
 */
final class EntityTable extends TableBase {
    private static final TypeInfo TEXTS =
            TypeInfo.getTypeInfo(org.h2.value.Value.ARRAY, -1, 0, TypeInfo.TYPE_VARCHAR);

    private final H2Catalog catalog;
    private final EntityColumns entities;
    private final KindRows rows;
    private final Column rowId;
    private final EntityIndex scan;
    private final List<Index> indexes;

    private EntityTable(CreateTableData data, H2Catalog catalog, EntityColumns entities) {
        super(data);
        this.catalog = catalog;
        this.entities = entities;
        this.rows = new KindRows(entities.home(), entities.kind());
        Column number = new Column(Column.ROWID, TypeInfo.TYPE_BIGINT, this, SearchRow.ROWID_INDEX);
        number.setRowId(true);
        number.setNullable(false);
        this.rowId = number;
        this.scan =
                new EntityIndex(
                        this,
                        data.schema.getDatabase().allocateObjectId(),
                        getName() + "_entities",
                        IndexColumn.wrap(getColumns()),
                        IndexType.createScan(true));
        EntityIndex byKey =
                new EntityIndex(
                        this,
                        data.schema.getDatabase().allocateObjectId(),
                        getName() + "_key",
                        IndexColumn.wrap(new Column[] {getColumn(EntityColumns.KEY_AT)}),
                        IndexType.createUnique(false, false, 1, NullsDistinct.DISTINCT));
        this.indexes = List.of(scan, byKey);
    }

    static EntityTable open(
            H2Catalog catalog,
            Schema schema,
            SessionLocal owner,
            PartitionId home,
            String kind,
            KindColumns properties) {
        CreateTableData data = new CreateTableData();
        data.schema = schema;
        data.tableName = kind;
        data.id = schema.getDatabase().allocateObjectId();
        data.session = owner;
        data.persistData = false;
        data.persistIndexes = false;
        EntityColumns entities = new EntityColumns(home, kind, properties);
        Column key = new Column(EntityColumns.KEY, TypeInfo.TYPE_VARCHAR);
        data.columns.add(key);
        data.columns.add(new Column(EntityColumns.ID, TypeInfo.TYPE_BIGINT));
        data.columns.add(new Column(EntityColumns.NAME, TypeInfo.TYPE_VARCHAR));
        data.columns.add(new Column(EntityColumns.PARENT, TypeInfo.TYPE_VARCHAR));
        data.columns.add(new Column(EntityColumns.ANCESTORS, TEXTS));
        for (KindColumns.Property property : properties.list()) {
            data.columns.add(new Column(property.name(), type(property.type())));
        }
        data.columns.add(new Column(EntityColumns.JSON, TypeInfo.TYPE_JSON));
        return new EntityTable(data, catalog, entities);
    }

    private static TypeInfo type(PropertyType type) {
        TypeInfo element =
                switch (type.scalar()) {
                    case BOOLEAN -> TypeInfo.TYPE_BOOLEAN;
                    case INTEGER -> TypeInfo.TYPE_BIGINT;
                    case DOUBLE -> TypeInfo.TYPE_DOUBLE;
                    case STRING, KEY -> TypeInfo.TYPE_VARCHAR;
                    case BLOB -> TypeInfo.TYPE_VARBINARY;
                    case TIMESTAMP -> TypeInfo.TYPE_TIMESTAMP_TZ;
                    case JSON -> TypeInfo.TYPE_JSON;
                };
        return type.array()
                ? TypeInfo.getTypeInfo(org.h2.value.Value.ARRAY, -1, 0, element)
                : element;
    }

    PartitionId home() {
        return rows.home();
    }

    String kind() {
        return rows.kind();
    }

    KindColumns kindColumns() {
        return entities.properties();
    }

    RowSession session(SessionLocal session) {
        return catalog.rows(session);
    }

    private TableTransaction transaction(SessionLocal session) {
        return session(session).transaction();
    }

    KindRows.Scan scan(SessionLocal session, Direction direction) {
        int mark = catalog.rows(session).readMark();
        return rows.scan(transaction(session), direction, mark);
    }

    /** Null if there is none. */
    @Nullable Row find(SessionLocal session, String key) {
        Entity found =
                rows.get(transaction(session), entities.key(key), catalog.rows(session).readMark());
        return found == null ? null : row(found);
    }

    Row row(Entity entity) {
        EntityColumns.Misfit misfit = entities.misfit(entity);
        if (misfit != null) {
            catalog.entities().widen(this, misfit.property(), misfit.type());
            throw misfit.failure();
        }
        List<@Nullable Object> values = entities.values(entity);
        Column[] all = getColumns();
        org.h2.value.Value[] converted = new org.h2.value.Value[all.length];
        for (int i = 0; i < all.length; i++) {
            converted[i] = Values.toH2(values.get(i), all[i].getType());
        }
        return Row.get(converted, Row.MEMORY_CALCULATE);
    }

    private List<@Nullable Object> values(Row row) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < getColumns().length; i++) {
            values.add(Values.toJava(row.getValue(i)));
        }
        return values;
    }

    private Key key(Row row) {
        return entities.key(row.getValue(EntityColumns.KEY_AT).getString());
    }

    @Override
    public void addRow(SessionLocal session, Row row) {
        List<@Nullable Object> values = values(row);
        Key key = entities.newKey(values, () -> catalog.store().database().allocateIds(1)[0]);
        Map<String, Value> properties = new HashMap<>();
        entities.changes(null, values)
                .forEach(
                        (name, value) -> {
                            if (!value.hasNullValue()) {
                                properties.put(name, value);
                            }
                        });
        Entity entity = Entity.newBuilder().setKey(key).putAllProperties(properties).build();
        if (!rows.insert(transaction(session), entity)) {
            throw DbException.get(
                    ErrorCode.DUPLICATE_KEY_1,
                    getName() + "_key\": (__key__)=(" + entities.text(key) + ")");
        }
        Row stored = row(entity);
        for (int i = 0; i < getColumns().length; i++) {
            row.setValue(i, stored.getValue(i));
        }
    }

    @Override
    public void removeRow(SessionLocal session, Row row) {
        if (!rows.remove(transaction(session), key(row))) {
            throw DbException.get(ErrorCode.ROW_NOT_FOUND_WHEN_DELETING_1, getName());
        }
    }

    @Override
    public void updateRow(SessionLocal session, Row oldRow, Row newRow) {
        Map<String, Value> changed = entities.changes(values(oldRow), values(newRow));
        if (!rows.update(transaction(session), key(oldRow), changed)) {
            throw DbException.get(ErrorCode.ROW_NOT_FOUND_WHEN_DELETING_1, getName());
        }
    }

    @Override
    public void updateRows(SessionLocal session, LocalResult changes, Runnable cancellationCheck) {
        while (changes.next()) {
            cancellationCheck.run();
            Row oldRow = changes.currentRowForTable();
            changes.next();
            updateRow(session, oldRow, changes.currentRowForTable());
        }
    }

    @Override
    public boolean isRowLockable() {
        return true;
    }

    @Override
    public @Nullable Row lockRow(SessionLocal session, Row row, int clauseMillis) {
        if (clauseMillis < 0) {
            // The Datastore API's transactions do not wait for changes of entities.
            return row;
        }
        String key = row.getValue(EntityColumns.KEY_AT).getString();
        byte[] stored = rows.row(entities.key(key));
        return catalog.rows(session)
                .locks()
                .lock(getName(), stored, row, clauseMillis, () -> find(session, key));
    }

    @Override
    public boolean fireRow() {
        return false;
    }

    @Override
    public long truncate(SessionLocal session) {
        throw H2Errors.unsupported("TRUNCATE of a kind; use DELETE");
    }

    @Override
    public boolean canTruncate() {
        return false;
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
        throw H2Errors.unsupported("an SQL index on a kind; declare it in index.yaml");
    }

    @Override
    public void checkSupportAlter() {
        throw H2Errors.unsupported("ALTER TABLE of a kind: its columns follow its entities");
    }

    @Override
    public @Nullable Column findColumn(String name) {
        Column exact = super.findColumn(name);
        if (exact != null) {
            return exact;
        }
        Column similar = null;
        for (Column column : getColumns()) {
            if (column.getName().equalsIgnoreCase(name)) {
                if (similar != null) {
                    return null;
                }
                similar = column;
            }
        }
        return similar;
    }

    @Override
    public boolean doesColumnExist(String name) {
        return findColumn(name) != null;
    }

    @Override
    public Column getColumn(String name) {
        Column found = findColumn(name);
        return found == null ? super.getColumn(name) : found;
    }

    @Override
    public @Nullable Column getColumn(String name, boolean ifExists) {
        Column found = findColumn(name);
        return found == null ? super.getColumn(name, ifExists) : found;
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
    public Column getRowIdColumn() {
        return rowId;
    }

    @Override
    public void close(SessionLocal session) {
        // The rows are not here.
    }

    @Override
    public TableType getTableType() {
        return TableType.TABLE;
    }

    /** Others change the entities: results of queries are not kept. */
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
        return false;
    }

    @Override
    public long getRowCount(SessionLocal session) {
        long count = 0;
        KindRows.Scan all = scan(session, Direction.FORWARD);
        while (all.next() != null) {
            count++;
        }
        return count;
    }

    @Override
    public long getRowCountApproximation(SessionLocal session) {
        return RowEstimate.ASSUMED_ROWS;
    }
}
