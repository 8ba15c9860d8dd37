package petrichor.entities;

import com.google.datastore.v1.Entity;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.transactions.Row;

/**
 * Writes entities in a transaction of another layer over the same database: the entity's row and
 * the difference of its index rows, as a commit of the Datastore API writes them. Stateless.
 */
public final class EntityWrites {
    private static final byte[] EMPTY = {};

    private EntityWrites() {}

    /** Receives the rows of a change. */
    @FunctionalInterface
    public interface Rows {
        /**
         * @param value null removes the row
         */
        void write(byte[] key, byte @Nullable [] value);
    }

    /** The row with the composite indexes: read it in the transaction that writes entities. */
    public static byte[] indexesRow() {
        return Indexes.ROW.clone();
    }

    /**
     * @param stored the value of {@link #indexesRow}; null if there is none
     */
    public static Indexes indexes(byte @Nullable [] stored) {
        return stored == null ? Indexes.NONE : Indexes.parse(stored);
    }

    /**
     * Replaces or creates an entity. INVALID_ARGUMENT if it violates a limit, or its namespace does
     * not take part in transactions.
     *
     * @param prior the row being replaced, with version 0 if the same transaction wrote it; null if
     *     the entity does not exist
     */
    public static void put(Entity entity, @Nullable Row prior, Indexes indexes, Rows rows) {
        Validation.requireKey(entity.getKey(), Validation.Completeness.COMPLETE);
        requireTransactions(entity.getKey().getPartitionId().getNamespaceId());
        Validation.requireWritable(entity.getKey());
        Validation.requireProperties(entity);
        if (entity.getSerializedSize() > Limits.ENTITY_BYTES_MAX) {
            throw PetrichorException.invalid(
                    "The entity {entity} has {bytes} bytes; the limit is "
                            + Limits.ENTITY_BYTES_MAX
                            + ".",
                    "entity",
                    KeyText.of(entity.getKey()),
                    "bytes",
                    entity.getSerializedSize());
        }
        long created = prior == null ? 0 : EntityRow.createTime(prior.version(), prior.value());
        rows.write(RowLayout.entityRow(entity.getKey()), EntityRow.encode(created, entity));
        writeIndexes(prior == null ? null : EntityRow.entity(prior.value()), entity, indexes, rows);
    }

    /** Removes an entity. */
    public static void remove(Row prior, Indexes indexes, Rows rows) {
        Entity entity = EntityRow.entity(prior.value());
        requireTransactions(entity.getKey().getPartitionId().getNamespaceId());
        Validation.requireWritable(entity.getKey());
        rows.write(RowLayout.entityRow(entity.getKey()), null);
        writeIndexes(entity, null, indexes, rows);
    }

    private static void writeIndexes(
            @Nullable Entity before, @Nullable Entity after, Indexes indexes, Rows rows) {
        Indexing.Difference difference = new Indexing.Difference();
        Indexing.addDifference(before, after, indexes, difference);
        for (Bytes row : difference.removed()) {
            rows.write(row.array(), null);
        }
        for (Bytes row : difference.added()) {
            rows.write(row.array(), EMPTY);
        }
    }

    private static void requireTransactions(String namespace) {
        if (Namespaces.withoutTransactions(namespace)) {
            throw PetrichorException.invalid(
                    "The namespace \"{namespace}\" does not take part in transactions: write its"
                            + " entities through the Datastore API.",
                    "namespace",
                    namespace);
        }
    }
}
