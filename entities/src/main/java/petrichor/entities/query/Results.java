package petrichor.entities.query;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.entities.EntityHit;
import petrichor.entities.EntityRow;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.KeyCodec;
import petrichor.entities.RowLayout;
import petrichor.entities.ValueCodec;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/**
 * Makes hits of what a walk met: keys and projections from positions alone, entities by batched
 * reads. Belongs to one thread.
 */
final class Results {
    private final Shape shape;
    private final PartitionId partition;
    private final RowReader reader;
    private final Work work;
    private final List<Pending> pending = new ArrayList<>();
    private final List<EntityHit> hits = new ArrayList<>();
    private long bytes;

    private record Pending(byte[] path, byte[] cursor, @Nullable Row row) {}

    Results(Shape shape, PartitionId partition, RowReader reader, Work work) {
        this.shape = shape;
        this.partition = partition;
        this.reader = reader;
        this.work = work;
    }

    int count() {
        return hits.size() + pending.size();
    }

    /** Of the hits that are complete. */
    long bytes() {
        return bytes;
    }

    int pendingCount() {
        return pending.size();
    }

    void add(Walk walk) {
        byte[] cursor = Cursor.after(shape.fingerprint(), walk.position());
        switch (shape.results()) {
            case ENTITIES -> pending.add(new Pending(walk.path(), cursor, walk.fetched()));
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
        bytes += serialized.length;
        hits.add(new EntityHit(serialized, reader.version(), 0, 0, cursor));
    }

    /** Reads what was put off. */
    void complete() {
        List<byte[]> keys = new ArrayList<>();
        for (Pending one : pending) {
            if (one.row() == null) {
                keys.add(RowLayout.entityRow(shape.namespace(), one.path()));
            }
        }
        List<@Nullable Row> rows = keys.isEmpty() ? List.of() : reader.get(keys);
        work.documentsScanned += keys.size();
        int next = 0;
        for (Pending one : pending) {
            Row row = one.row() == null ? rows.get(next++) : one.row();
            if (row == null) {
                throw MergedWalk.missing();
            }
            EntityHit hit = EntityRow.hit(row.version(), row.value(), one.cursor());
            bytes += hit.entity().length;
            hits.add(hit);
        }
        pending.clear();
    }

    List<EntityHit> hits() {
        complete();
        return hits;
    }
}
