package petrichor.entities;

import com.google.datastore.v1.Entity;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.OrderedReader;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;

/**
 * Iterates over the entities of a database as of one version, for exports: a single kind through
 * the index of kinds, all kinds through the entity rows, without any other index. Keeps its version
 * readable until it is closed, however long that takes. Confined to one thread.
 */
public final class EntityWalk implements AutoCloseable {
    /** Rows that are read together; fewer if they are large. */
    private static final int BATCH_ROWS_MAX = 300;

    private static final int BATCH_BYTES_MAX = 4 << 20;

    private final Snapshot snapshot;
    private int batchRows = 16;

    private EntityWalk(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    /** Opens a walk at the newest version. */
    public static EntityWalk open(EntityDatabase database) {
        return new EntityWalk(database.rows().snapshot());
    }

    /** Microseconds since 1970. */
    public long version() {
        return snapshot.version();
    }

    /** The namespaces that contain entities, in order. */
    public Set<String> namespaces() {
        Set<String> found = new TreeSet<>();
        byte[] from = RowLayout.kindPrefix();
        byte[] end = Bytes.afterPrefix(from);
        while (true) {
            try (RowCursor cursor = snapshot.scan(new KeyRange(from, end), Direction.FORWARD)) {
                if (!cursor.next()) {
                    return found;
                }
                String namespace = new OrderedReader(cursor.key(), 1).takeString();
                found.add(namespace);
                byte[] next = Bytes.afterPrefix(RowLayout.kindPrefix(namespace));
                if (next == null) {
                    return found;
                }
                from = next;
            }
        }
    }

    /**
     * Counts entities through the index of kinds.
     *
     * @param namespace null for all
     * @param kind null for all
     * @param each called for every entity; an exception ends the walk
     */
    public long count(@Nullable String namespace, @Nullable String kind, Runnable each) {
        long entities = 0;
        for (KeyRange range : kinds(namespace, kind)) {
            try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
                while (cursor.next()) {
                    each.run();
                    entities++;
                }
            }
        }
        return entities;
    }

    /**
     * Passes every entity to the consumer.
     *
     * @param namespace null for all
     * @param kind null for all
     * @param to an exception from it ends the walk
     */
    public void forEach(@Nullable String namespace, @Nullable String kind, Consumer<Entity> to) {
        if (kind != null) {
            for (KeyRange range : kinds(namespace, kind)) {
                walkKind(range, to);
            }
            return;
        }
        KeyRange range = namespace == null ? RowLayout.entities() : RowLayout.entities(namespace);
        try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                to.accept(EntityRow.entity(cursor.value()));
            }
        }
    }

    private List<KeyRange> kinds(@Nullable String namespace, @Nullable String kind) {
        if (namespace == null && kind == null) {
            return List.of(KeyRange.ofPrefix(RowLayout.kindPrefix()));
        }
        List<KeyRange> ranges = new ArrayList<>();
        for (String one : namespace == null ? namespaces() : Set.of(namespace)) {
            ranges.add(
                    KeyRange.ofPrefix(
                            kind == null
                                    ? RowLayout.kindPrefix(one)
                                    : RowLayout.kindPrefix(one, kind)));
        }
        return ranges;
    }

    private void walkKind(KeyRange range, Consumer<Entity> to) {
        List<byte[]> rows = new ArrayList<>();
        try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
            while (cursor.next()) {
                rows.add(entityRow(cursor.key()));
                if (rows.size() >= batchRows) {
                    fetch(rows, to);
                    rows.clear();
                }
            }
        }
        fetch(rows, to);
    }

    private static byte[] entityRow(byte[] kindRow) {
        OrderedReader in = new OrderedReader(kindRow, 1);
        String namespace = in.takeString();
        in.skipString();
        return RowLayout.entityRow(namespace, in.rest());
    }

    private void fetch(List<byte[]> rows, Consumer<Entity> to) {
        if (rows.isEmpty()) {
            return;
        }
        long bytes = 0;
        for (Row row : snapshot.get(rows)) {
            if (row == null) {
                throw new IllegalStateException("an entity of the index of kinds is missing");
            }
            bytes += row.value().length;
            to.accept(EntityRow.entity(row.value()));
        }
        long average = Math.max(1, bytes / rows.size());
        batchRows = Math.clamp(BATCH_BYTES_MAX / average, 1, BATCH_ROWS_MAX);
    }

    @Override
    public void close() {
        snapshot.close();
    }
}
