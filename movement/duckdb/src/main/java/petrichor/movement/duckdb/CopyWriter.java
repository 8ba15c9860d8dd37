package petrichor.movement.duckdb;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.movement.backups.BackupRow;
import petrichor.tables.StoredTable;
import petrichor.tables.StoredTables;
import petrichor.tables.TableFormat;
import petrichor.tables.TableTransfer;

/** Writes stored rows of the source to the tables of a copy. Belongs to one transaction. */
final class CopyWriter {
    /** Rows that are converted together; bounds the memory. */
    private static final int STAGED_ROWS_MAX = 1_000;

    private static final long STAGED_BYTES_MAX = 4 << 20;

    private static final HexFormat HEX = HexFormat.of();

    private final DuckFile file;
    private final CopyCatalog catalog;
    private final long position;

    /** Of the source, by the keys of their rows in its catalog. */
    private final NavigableMap<Bytes, StoredTable> defined = new TreeMap<>();

    private final Set<CopyTable> changed = new HashSet<>();

    /**
     * @param position after the rows
     */
    CopyWriter(DuckFile file, CopyCatalog catalog, long position) {
        this.file = file;
        this.catalog = catalog;
        this.position = position;
        file.run("CREATE TABLE IF NOT EXISTS petrichor.catalog (key BLOB, value BLOB)");
        for (BackupRow row :
                file.query(
                        "SELECT key, value FROM petrichor.catalog",
                        found -> new BackupRow(found.getBytes(1), 0, found.getBytes(2)))) {
            StoredTable table =
                    StoredTables.definedBy(row.key(), Objects.requireNonNull(row.value()));
            if (table != null) {
                defined.put(Bytes.of(row.key()), table);
            }
        }
    }

    /** A row whose columns are texts; values are null if the row is deleted. */
    private record Staged(byte[] row, @Nullable String @Nullable [] values) {
        // Not the compact form: its class file would lack the nullness of the values.
        private Staged(byte[] row, @Nullable String @Nullable [] values) {
            this.row = row;
            this.values = values;
        }
    }

    /**
     * Writes changed rows, each key once.
     *
     * @return a table whose definition changed so that its rows must be copied again; null if there
     *     is none
     */
    @Nullable CopyTable changes(List<BackupRow> rows) {
        CopyTable misfit = define(rows, false);
        if (misfit == null) {
            write(rows);
        }
        return misfit;
    }

    /** Makes a range equal to the rows. */
    void range(byte[] from, byte @Nullable [] to, List<BackupRow> rows) {
        Set<Bytes> kept = rows.stream().map(row -> Bytes.of(row.key())).collect(Collectors.toSet());
        List<BackupRow> all = new ArrayList<>();
        for (Bytes key : defined.keySet()) {
            if (!kept.contains(key) && within(key.array(), from, to)) {
                all.add(new BackupRow(key.array(), 0, null));
            }
        }
        all.addAll(rows);
        var _ = define(all, true);
        String end = to == null ? "" : " AND __row__ < unhex('" + HEX.formatHex(to) + "')";
        for (CopyTable table : catalog.all()) {
            file.run(
                    "DELETE FROM "
                            + table.sql()
                            + " WHERE __row__ >= unhex('"
                            + HEX.formatHex(from)
                            + "')"
                            + end);
            changed.add(table);
        }
        write(rows);
    }

    private static boolean within(byte[] key, byte[] from, byte @Nullable [] to) {
        return Arrays.compareUnsigned(key, from) >= 0
                && (to == null || Arrays.compareUnsigned(key, to) < 0);
    }

    /**
     * Creates, changes and drops tables as the rows of the catalog say. A changed table has another
     * row of the catalog, and the same id.
     *
     * @return a table that can only be copied again; null if there is none, or if that happens now
     */
    private @Nullable CopyTable define(List<BackupRow> rows, boolean copying) {
        Map<Integer, StoredTable> was = byId();
        List<BackupRow> definitions = new ArrayList<>();
        for (BackupRow row : rows) {
            if (StoredTables.contains(row.key()) && StoredTables.isCatalog(row.key())) {
                byte[] value = row.value();
                StoredTable table = value == null ? null : StoredTables.definedBy(row.key(), value);
                StoredTable former =
                        table == null
                                ? defined.remove(Bytes.of(row.key()))
                                : defined.put(Bytes.of(row.key()), table);
                if (table != null || former != null) {
                    definitions.add(row);
                }
            }
        }
        if (definitions.isEmpty()) {
            return null;
        }
        Map<Integer, StoredTable> now = byId();
        List<CopyTable> dropped = new ArrayList<>();
        for (CopyTable present : catalog.all()) {
            if (present.isKind()) {
                continue;
            }
            StoredTable before = was.get(present.number());
            StoredTable after = now.get(present.number());
            boolean fits = before != null && after != null && fits(before, after);
            if (after != null && !fits && !copying) {
                return present;
            }
            if (!fits) {
                dropped.add(present);
            }
        }
        for (BackupRow row : definitions) {
            file.run("DELETE FROM petrichor.catalog WHERE key = ?", row.key());
            byte[] value = row.value();
            if (value != null) {
                file.run("INSERT INTO petrichor.catalog VALUES (?, ?)", row.key(), value);
            }
        }
        // First, so that their names are free.
        dropped.forEach(catalog::drop);
        changed.removeAll(dropped);
        now.forEach(
                (id, after) -> {
                    CopyTable present = catalog.find(CopyTable.ofTable(id));
                    StoredTable before = was.get(id);
                    if (present == null) {
                        create(after);
                    } else if (before != null && !before.columns().equals(after.columns())) {
                        alter(present, before, after);
                    }
                });
        return null;
    }

    /** Of two rows of one table, as a copy of ranges leaves them, the greater key is newer. */
    private Map<Integer, StoredTable> byId() {
        Map<Integer, StoredTable> tables = new TreeMap<>();
        defined.values().forEach(table -> tables.put(table.id(), table));
        return tables;
    }

    /** Whether columns were only added or dropped. */
    private static boolean fits(StoredTable before, StoredTable after) {
        return before.schema().equals(after.schema())
                && before.name().equals(after.name())
                && after.columns().stream()
                        .allMatch(
                                column -> {
                                    int at = before.position(column.id());
                                    return at < 0
                                            || (before.columns()
                                                            .get(at)
                                                            .name()
                                                            .equals(column.name())
                                                    && before.columns()
                                                            .get(at)
                                                            .type()
                                                            .equals(column.type()));
                                });
    }

    private void create(StoredTable table) {
        Map<String, String> types = new LinkedHashMap<>();
        table.columns().forEach(one -> types.put(one.name(), TableCells.type(one.type())));
        changed.add(
                catalog.create(CopyTable.ofTable(table.id()), table.schema(), table.name(), types));
    }

    private void alter(CopyTable present, StoredTable before, StoredTable after) {
        before.columns().stream()
                .filter(column -> after.position(column.id()) < 0)
                .forEach(column -> catalog.dropColumn(present, column.name()));
        after.columns().stream()
                .filter(column -> before.position(column.id()) < 0)
                .forEach(
                        column -> {
                            String type = TableCells.type(column.type());
                            String missing = TableCells.text(column.missing());
                            catalog.addColumn(
                                    present,
                                    column.name(),
                                    type,
                                    missing == null
                                            ? "NULL"
                                            : new CopyTable.Column(column.name(), type)
                                                    .parsed(DuckFile.literal(missing)));
                        });
        changed.add(present);
    }

    private void write(List<BackupRow> rows) {
        Map<Integer, TableFormat> formats = new HashMap<>();
        byId().forEach((id, table) -> formats.put(id, new TableFormat(table)));
        Map<String, List<BackupRow>> kinds = new LinkedHashMap<>();
        Map<Integer, List<BackupRow>> tables = new LinkedHashMap<>();
        for (BackupRow row : rows) {
            if (RowLayout.isEntity(row.key())) {
                kinds.computeIfAbsent(kind(row.key()), _ -> new ArrayList<>()).add(row);
            } else if (StoredTables.contains(row.key()) && !StoredTables.isCatalog(row.key())) {
                int id = StoredTables.tableId(row.key());
                TableFormat format = formats.get(id);
                // Other rows are entries of indexes, or of a table of a later commit, which the
                // changes after a copy contain once more.
                if (format != null && format.rows().contains(row.key())) {
                    tables.computeIfAbsent(id, _ -> new ArrayList<>()).add(row);
                }
            }
        }
        kinds.forEach(this::writeKind);
        tables.forEach((id, some) -> writeTable(Objects.requireNonNull(formats.get(id)), some));
    }

    private static List<List<BackupRow>> parts(List<BackupRow> rows) {
        List<List<BackupRow>> parts = new ArrayList<>();
        int from = 0;
        long bytes = 0;
        for (int at = 0; at < rows.size(); at++) {
            bytes += rows.get(at).bytes();
            if (bytes >= STAGED_BYTES_MAX || at + 1 - from == STAGED_ROWS_MAX) {
                parts.add(rows.subList(from, at + 1));
                from = at + 1;
                bytes = 0;
            }
        }
        if (from < rows.size()) {
            parts.add(rows.subList(from, rows.size()));
        }
        return parts;
    }

    private static Key key(byte[] row) {
        return RowLayout.entityKey("-", "", row);
    }

    private static String kind(byte[] row) {
        Key key = key(row);
        return key.getPath(key.getPathCount() - 1).getKind();
    }

    private void writeKind(String kind, List<BackupRow> rows) {
        String id = CopyTable.ofKind(kind);
        CopyTable known = catalog.find(id);
        CopyTable table =
                known == null ? catalog.create(id, "main", kind, EntityCells.ownColumns()) : known;
        changed.add(table);
        for (List<BackupRow> part : parts(rows)) {
            List<@Nullable Entity> entities = new ArrayList<>();
            for (BackupRow row : part) {
                byte[] value = row.value();
                Entity entity = value == null ? null : EntityRow.entity(value);
                entities.add(entity);
                if (entity != null) {
                    addColumns(table, kind, entity);
                }
            }
            List<Staged> staged = new ArrayList<>();
            for (int i = 0; i < part.size(); i++) {
                Entity entity = entities.get(i);
                BackupRow row = part.get(i);
                staged.add(
                        new Staged(row.key(), entity == null ? null : values(table, row, entity)));
            }
            replace(table, staged);
        }
    }

    private void addColumns(CopyTable table, String kind, Entity entity) {
        for (Map.Entry<String, Value> property : entity.getPropertiesMap().entrySet()) {
            String type = EntityCells.type(property.getValue());
            String source = EntityCells.property(property.getKey());
            CopyTable.Column column = table.columns().get(source);
            if (type == null) {
                continue;
            }
            if (column == null) {
                if (table.columns().size() >= CopyCatalog.COLUMNS_MAX) {
                    throw PetrichorException.of(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "The kind {kind} has more than {columnsMax} properties, which a table"
                                    + " of the replica cannot have; replicate other kinds with"
                                    + " --kind.",
                            "kind",
                            kind,
                            "columnsMax",
                            CopyCatalog.COLUMNS_MAX);
                }
                catalog.addColumn(table, source, type, "NULL");
            } else {
                String wider = EntityCells.wider(column.type(), type);
                if (!wider.equals(column.type())) {
                    catalog.changeType(
                            table, source, wider, EntityCells.widened(column.type(), wider));
                }
            }
        }
    }

    private static @Nullable String[] values(CopyTable table, BackupRow row, Entity entity) {
        Key key = key(row.key());
        @Nullable String[] values = new @Nullable String[table.columns().size()];
        int at = 0;
        for (Map.Entry<String, CopyTable.Column> column : table.columns().entrySet()) {
            String source = column.getKey();
            if (EntityCells.isOwn(source)) {
                values[at] = EntityCells.own(source, key, row.version());
            } else {
                Value value = entity.getPropertiesMap().get(EntityCells.nameOf(source));
                values[at] =
                        value == null ? null : EntityCells.text(value, column.getValue().type());
            }
            at++;
        }
        return values;
    }

    private void writeTable(TableFormat format, List<BackupRow> rows) {
        CopyTable table =
                Objects.requireNonNull(catalog.find(CopyTable.ofTable(format.table().id())));
        List<String> sources = List.copyOf(table.columns().keySet());
        List<String> names = format.table().columns().stream().map(one -> one.name()).toList();
        changed.add(table);
        for (List<BackupRow> part : parts(rows)) {
            List<Staged> staged = new ArrayList<>();
            for (BackupRow row : part) {
                byte[] value = row.value();
                @Nullable String @Nullable [] texts = null;
                if (value != null) {
                    @Nullable Object[] decoded = TableTransfer.decodeRow(format, value);
                    texts = new @Nullable String[sources.size()];
                    for (int i = 0; i < texts.length; i++) {
                        texts[i] = TableCells.text(decoded[names.indexOf(sources.get(i))]);
                    }
                }
                staged.add(new Staged(row.key(), texts));
            }
            replace(table, staged);
        }
    }

    private void replace(CopyTable table, List<Staged> rows) {
        List<CopyTable.Column> columns = List.copyOf(table.columns().values());
        String texts =
                IntStream.range(0, columns.size())
                        .mapToObj(i -> ", c" + i + " VARCHAR")
                        .collect(Collectors.joining());
        file.run("CREATE OR REPLACE TEMP TABLE staged (k VARCHAR, live VARCHAR" + texts + ")");
        List<@Nullable String[]> cells = new ArrayList<>();
        for (Staged row : rows) {
            @Nullable String @Nullable [] values = row.values();
            @Nullable String[] cell = new @Nullable String[columns.size() + 2];
            cell[0] = HEX.formatHex(row.row());
            if (values != null) {
                cell[1] = "1";
                System.arraycopy(values, 0, cell, 2, values.length);
            }
            cells.add(cell);
        }
        file.append("staged", cells);
        file.run(
                "DELETE FROM "
                        + table.sql()
                        + " WHERE __row__ IN (SELECT unhex(k) FROM temp.main.staged)");
        String names =
                columns.stream()
                        .map(column -> ", " + DuckFile.quoted(column.name()))
                        .collect(Collectors.joining());
        String parsed =
                IntStream.range(0, columns.size())
                        .mapToObj(i -> ", " + columns.get(i).parsed("c" + i))
                        .collect(Collectors.joining());
        file.run(
                "INSERT INTO "
                        + table.sql()
                        + " (__row__"
                        + names
                        + ") SELECT unhex(k)"
                        + parsed
                        + " FROM temp.main.staged WHERE live = '1'");
    }

    /** After the last rows. */
    void finish() {
        changed.forEach(table -> catalog.changed(table, position));
        file.run("DROP TABLE IF EXISTS temp.main.staged");
    }
}
