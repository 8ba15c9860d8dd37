package petrichor.entities.query;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import petrichor.entities.EntityHit;
import petrichor.entities.EntityRow;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.KeyCodec;
import petrichor.entities.Limits;
import petrichor.entities.RowLayout;
import petrichor.entities.ValueCodec;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/**
 * Collects hits from a walk: keys and projections from positions alone, entities by batched reads.
 * Confined to one thread.
 */
final class Results {
    /** Entities read at once before their size is known. */
    private static final int ENTITIES_PER_READ = 50;

    private final Shape shape;
    private final int fingerprint;
    private final PartitionId partition;
    private final RowReader reader;
    private final int bytesMax;
    private final Work work;
    private final List<Pending> pending = new ArrayList<>();
    private final List<EntityHit> hits = new ArrayList<>();
    private long bytes;
    private byte @Nullable [] lastPosition;
    private boolean cut;

    private record Pending(byte[] path, byte[] position, byte[] cursor, @Nullable Row row) {}

    Results(Shape shape, PartitionId partition, RowReader reader, int bytesMax, Work work) {
        this.shape = shape;
        this.fingerprint = shape.fingerprint();
        this.partition = partition;
        this.reader = reader;
        this.bytesMax = bytesMax;
        this.work = work;
    }

    int count() {
        return hits.size() + pending.size();
    }

    int pendingCount() {
        return pending.size();
    }

    void add(Walk walk) {
        byte[] cursor = Cursor.after(fingerprint, walk.position());
        switch (shape.results()) {
            case ENTITIES ->
                    pending.add(new Pending(walk.path(), walk.position(), cursor, walk.fetched()));
            case KEYS -> addBuilt(keyed(walk.path()), cursor);
            case PROJECTIONS -> addBuilt(projected(walk), cursor);
        }
    }

    private Entity.Builder keyed(byte[] path) {
        return Entity.newBuilder().setKey(KeyCodec.decode(partition, path, 0));
    }

    private Entity.Builder projected(Walk walk) {
        Entity.Builder entity = keyed(walk.path());
        List<byte[]> values = new Position(shape).columns(walk.position());
        int index = 0;
        for (Column column : shape.columns()) {
            byte[] encoded = values.get(index++);
            if (shape.projected().contains(column.property())
                    && !column.property().equals(QueryCheck.KEY)) {
                Value value = ValueCodec.decode(encoded, 0, column.order());
                entity.putProperties(column.property(), value);
            }
        }
        return entity;
    }

    private void addBuilt(Entity.Builder entity, byte[] cursor) {
        byte[] serialized = entity.build().toByteArray();
        EntityHit hit = new EntityHit(serialized, reader.version(), 0, 0, cursor);
        bytes += size(hit);
        hits.add(hit);
    }

    /** Encoded size, as one of several results of a response. */
    private static long size(EntityHit hit) {
        return (long) hit.entity().length + hit.cursor().length + Limits.RESULT_OVERHEAD_BYTES;
    }

    /** Whether a result of keys or projections of the maximum size might no longer fit. */
    boolean isFull() {
        return cut || bytes + Limits.RESULT_OVERHEAD_BYTES >= bytesMax;
    }

    /** The number that probably still fits into the response. */
    int entitiesPerRead() {
        if (hits.isEmpty()) {
            return ENTITIES_PER_READ;
        }
        long free = bytesMax - bytes;
        return Math.clamp(free / (bytes / hits.size()), 1, ENTITIES_PER_READ);
    }

    /**
     * Reads deferred entities, as far as they fit into the response; at least one result always
     * fits.
     *
     * @return whether some were omitted, now or before
     */
    boolean complete() {
        List<byte[]> keys = new ArrayList<>();
        for (Pending one : pending) {
            if (one.row() == null) {
                keys.add(RowLayout.entityRow(shape.namespace(), one.path()));
            }
        }
        List<@Nullable Row> rows = keys.isEmpty() || cut ? List.of() : reader.get(keys);
        work.documentsScanned(cut ? 0 : keys.size());
        int next = 0;
        for (Pending one : pending) {
            if (cut) {
                break;
            }
            Row row = one.row() == null ? rows.get(next++) : one.row();
            if (row == null) {
                throw MergedWalk.missing();
            }
            EntityHit hit = EntityRow.hit(row.version(), row.value(), one.cursor());
            if (!hits.isEmpty() && bytes + size(hit) > bytesMax) {
                cut = true;
                break;
            }
            bytes += size(hit);
            hits.add(hit);
            lastPosition = one.position();
        }
        pending.clear();
        return cut;
    }

    /** The position of the last entity in the results. */
    byte[] lastPosition() {
        return Objects.requireNonNull(lastPosition, "only after an entity was read");
    }

    /** Valid after {@link #complete}. */
    List<EntityHit> hits() {
        return hits;
    }
}
