package petrichor.entities.query;

import com.google.datastore.v1.Query;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/** Feeds the results of a query to {@link Figures}; counting reads index rows only. Stateless. */
final class AggregationRun {
    private static final int ENTITIES_PER_READ = 50;

    private AggregationRun() {}

    static void run(PlannedQuery planned, RowReader reader, Figures figures, Work work) {
        Query query = planned.query();
        Shape shape = planned.shape();
        byte[] start = cursor(query.getStartCursor(), shape, "start_cursor");
        byte[] until = cursor(query.getEndCursor(), shape, "end_cursor");
        int limit = query.hasLimit() ? query.getLimit().getValue() : Integer.MAX_VALUE;
        long end = (long) query.getOffset() + limit;
        long met = 0;
        List<byte[]> pending = new ArrayList<>();
        boolean entities = figures.needEntities();
        try (Walk walk = planned.walk(reader, start, work)) {
            while (met < end && !figures.complete() && walk.next()) {
                if (until != null && Bytes.compare(walk.position(), until) > 0) {
                    break;
                }
                met++;
                if (met <= query.getOffset()) {
                    continue;
                }
                if (!entities) {
                    figures.add(null);
                    continue;
                }
                Row row = walk.fetched();
                if (row != null) {
                    figures.add(EntityRow.entity(row.value()));
                    continue;
                }
                pending.add(RowLayout.entityRow(shape.namespace(), walk.path()));
                if (pending.size() == ENTITIES_PER_READ) {
                    read(pending, reader, figures, work);
                }
            }
        }
        read(pending, reader, figures, work);
    }

    private static void read(List<byte[]> pending, RowReader reader, Figures figures, Work work) {
        if (pending.isEmpty()) {
            return;
        }
        work.documentsScanned += pending.size();
        for (Row row : reader.get(List.copyOf(pending))) {
            if (row == null) {
                throw MergedWalk.missing();
            }
            figures.add(EntityRow.entity(row.value()));
        }
        pending.clear();
    }

    private static byte @Nullable [] cursor(ByteString cursor, Shape shape, String field) {
        if (cursor.isEmpty()) {
            return null;
        }
        byte[] position = Cursor.position(cursor, shape.fingerprint(), field);
        if (position.length > 0) {
            new Position(shape).check(position);
            return position;
        }
        return field.equals("start_cursor") ? null : position;
    }
}
