package petrichor.movement.backups;

import com.google.datastore.v1.Entity;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import petrichor.client.DatabaseName;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.movement.KeyRewriting;
import petrichor.tables.StoredTable;
import petrichor.tables.StoredTables;

/**
 * Counts and hashes of rows per kind of entities and per table, independent of the database in
 * which the rows are. Rows are added in key order. Confined to one thread.
 */
final class RowDigests {
    /** What a kind or a table contains. */
    record Digest(long rows, String sha256) {}

    private static final class Part {
        private final MessageDigest digest = SegmentFormat.sha256();
        private long rows;
    }

    private final DatabaseName database;
    private final KeyRewriting rewriting;
    private final Map<String, Part> parts = new TreeMap<>();
    private final Map<Integer, String> tables = new TreeMap<>();

    /**
     * @param database under whose name keys in values are compared
     */
    RowDigests(DatabaseName database) {
        this.database = database;
        this.rewriting = new KeyRewriting(database, null);
    }

    void add(BackupRow row) {
        byte[] value = Objects.requireNonNull(row.value());
        if (StoredTables.isLive(row.key())) {
            return;
        }
        if (StoredTables.contains(row.key())) {
            StoredTable table = StoredTables.definedBy(row.key(), value);
            if (table != null) {
                tables.put(table.id(), "table " + table.schema() + "." + table.name());
            }
            add(tableName(StoredTables.tableId(row.key())), row.key(), value, 0);
        } else {
            var path =
                    RowLayout.entityKey(database.project(), database.database(), row.key())
                            .getPathList();
            add(
                    "kind " + path.getLast().getKind(),
                    row.key(),
                    canonical(rewriting.rewrite(EntityRow.entity(value))),
                    EntityRow.createTime(row.version(), value));
        }
    }

    private String tableName(int id) {
        return id == 0 ? "catalog of tables" : tables.getOrDefault(id, "dropped table " + id);
    }

    private void add(String name, byte[] key, byte[] value, long created) {
        Part part = parts.computeIfAbsent(name, _ -> new Part());
        part.digest.update(
                ByteBuffer.allocate(Long.BYTES + 2 * Integer.BYTES)
                        .putLong(created)
                        .putInt(key.length)
                        .putInt(value.length)
                        .array());
        part.digest.update(key);
        part.digest.update(value);
        part.rows++;
    }

    private static byte[] canonical(Entity entity) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(entity.getSerializedSize());
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            out.useDeterministicSerialization();
            entity.writeTo(out);
            out.flush();
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return bytes.toByteArray();
    }

    /** By the name of the kind or table. Ends the use of this object. */
    Map<String, Digest> finish() {
        Map<String, Digest> digests = new TreeMap<>();
        parts.forEach(
                (name, part) ->
                        digests.put(
                                name,
                                new Digest(
                                        part.rows,
                                        HexFormat.of().formatHex(part.digest.digest()))));
        return digests;
    }

    /** 0 if there is no such part. */
    static long rows(@Nullable Digest digest) {
        return digest == null ? 0 : digest.rows();
    }
}
