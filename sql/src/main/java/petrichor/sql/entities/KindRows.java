package petrichor.sql.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedReader;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityRow;
import petrichor.entities.EntityWrites;
import petrichor.entities.RowLayout;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.tables.TableTransaction;
import petrichor.transactions.Row;

/**
 * The entities of a kind in the transaction of a session. Immutable; a scan belongs to one thread.
 *
 * @param home the partition of its keys
 */
public record KindRows(PartitionId home, String kind) {
    /** Entities that are read together; fewer if they are large. */
    private static final int BATCH_ROWS_MAX = 300;

    private static final int BATCH_ROWS_FIRST = 8;
    private static final int BATCH_BYTES_MAX = 4 << 20;

    /** The row of the entity to which a row of the index of kinds belongs. */
    public static byte[] entityRow(byte[] kindRow) {
        OrderedReader in = new OrderedReader(kindRow, 1);
        String namespace = in.takeString();
        in.skipString();
        return RowLayout.entityRow(namespace, in.rest());
    }

    /** Null if there is none, or if the key is one of another kind or partition. */
    public @Nullable Entity get(TableTransaction transaction, Key key, int mark) {
        if (!key.getPartitionId().equals(home) || !kind.equals(kindOf(key))) {
            return null;
        }
        Row row = transaction.find(RowLayout.entityRow(key), mark);
        return row == null ? null : EntityRow.entity(row.value());
    }

    private static String kindOf(Key key) {
        return key.getPath(key.getPathCount() - 1).getKind();
    }

    /** The row that a lock of this entity protects. */
    public byte[] row(Key key) {
        return RowLayout.entityRow(key);
    }

    /** All entities, in the order of their keys. */
    public Scan scan(TableTransaction transaction, Direction direction, int mark) {
        KeyRange range = KeyRange.ofPrefix(RowLayout.kindPrefix(home.getNamespaceId(), kind));
        return new Scan(transaction.scan(range, direction, mark));
    }

    /** Reads in batches and keeps nothing open between them. */
    public static final class Scan {
        private final TableTransaction.Batches batches;
        private List<TableTransaction.Found> found = List.of();
        private int fetched;
        private int batchRows = BATCH_ROWS_FIRST;
        private List<Entity> entities = List.of();
        private int at;

        private Scan(TableTransaction.Batches batches) {
            this.batches = batches;
        }

        /** Null at the end. */
        public @Nullable Entity next() {
            if (at == entities.size()) {
                if (fetched == found.size()) {
                    found = batches.next();
                    fetched = 0;
                }
                if (found.isEmpty()) {
                    return null;
                }
                fetch();
            }
            return entities.get(at++);
        }

        private void fetch() {
            int to = Math.min(found.size(), fetched + batchRows);
            List<byte[]> keys = new ArrayList<>(to - fetched);
            for (TableTransaction.Found row : found.subList(fetched, to)) {
                keys.add(entityRow(row.key()));
            }
            fetched = to;
            List<Entity> batch = new ArrayList<>(keys.size());
            long bytes = 0;
            for (byte @Nullable [] value : batches.get(keys)) {
                if (value == null) {
                    throw PetrichorException.of(
                            ErrorCode.INTERNAL,
                            "An entry of the index of kinds has no entity; check the database.");
                }
                bytes += value.length;
                batch.add(EntityRow.entity(value));
            }
            long average = Math.max(1, bytes / keys.size());
            batchRows = Math.clamp(BATCH_BYTES_MAX / average, 1, BATCH_ROWS_MAX);
            entities = batch;
            at = 0;
        }
    }

    /**
     * Creates an entity.
     *
     * @return false if there is one with this key
     */
    public boolean insert(TableTransaction transaction, Entity entity) {
        Row prior = transaction.find(RowLayout.entityRow(entity.getKey()), transaction.mark());
        if (prior != null) {
            return false;
        }
        EntityWrites.put(
                entity, null, EntityWrites.indexes(indexes(transaction)), transaction::writeRow);
        return true;
    }

    /**
     * Changes properties of an entity.
     *
     * @return false if there is none with this key
     */
    public boolean update(TableTransaction transaction, Key key, Map<String, Value> changed) {
        Row prior = transaction.find(RowLayout.entityRow(key), transaction.mark());
        if (prior == null) {
            return false;
        }
        Entity entity =
                EntityRow.entity(prior.value()).toBuilder().putAllProperties(changed).build();
        EntityWrites.put(
                entity, prior, EntityWrites.indexes(indexes(transaction)), transaction::writeRow);
        return true;
    }

    /**
     * Removes an entity.
     *
     * @return false if there is none with this key
     */
    public boolean remove(TableTransaction transaction, Key key) {
        Row prior = transaction.find(RowLayout.entityRow(key), transaction.mark());
        if (prior == null) {
            return false;
        }
        EntityWrites.remove(
                prior, EntityWrites.indexes(indexes(transaction)), transaction::writeRow);
        return true;
    }

    private static byte @Nullable [] indexes(TableTransaction transaction) {
        Row stored = transaction.find(EntityWrites.indexesRow(), transaction.mark());
        return stored == null ? null : stored.value();
    }
}
