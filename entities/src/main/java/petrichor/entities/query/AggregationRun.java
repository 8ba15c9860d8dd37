package petrichor.entities.query;

import com.google.datastore.v1.Query;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.entities.CompositeIndex;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/**
 * Feeds the results of a query to {@link Figures}. Counting reads index rows only, and so do sums
 * where the query is ordered by the property or there is an index in which it could be: then what
 * is to be summed is walked in that order by itself, as entities without the property add nothing.
 * For all other sums entities are read. Belongs to one thread.
 */
final class AggregationRun {
    private static final int ENTITIES_PER_READ = 50;

    private final PlannedQuery planned;
    private final Figures figures;

    /** Properties whose values are found in the order of the query, or in its entities. */
    private final Map<String, Summand> here = new LinkedHashMap<>();

    /** Properties that are walked by themselves. */
    private final Map<String, PlannedQuery> alone = new LinkedHashMap<>();

    /**
     * @param indexes the readable ones of a kind
     */
    AggregationRun(
            PlannedQuery planned, Figures figures, Function<String, List<CompositeIndex>> indexes) {
        this.planned = planned;
        this.figures = figures;
        for (String property : figures.properties()) {
            Summand summand = new Summand(property, planned);
            PlannedQuery ordered =
                    summand.inPosition() || dependOnOrder()
                            ? null
                            : planned.orderedBy(property, indexes);
            if (ordered == null) {
                here.put(property, summand);
            } else {
                alone.put(property, ordered);
            }
        }
    }

    /** Whether there would be other results if one more property were in the order. */
    private boolean dependOnOrder() {
        Query query = planned.query();
        return query.hasLimit()
                || query.getOffset() > 0
                || !query.getStartCursor().isEmpty()
                || !query.getEndCursor().isEmpty()
                || planned.shape().distinctDemanded()
                || planned.shape().results() == Shape.Results.PROJECTIONS;
    }

    private boolean needsResults() {
        return figures.counts() || !here.isEmpty();
    }

    List<ScanPlan> plans() {
        List<ScanPlan> plans = new ArrayList<>();
        if (needsResults()) {
            plans.addAll(planned.plans());
        }
        alone.values().forEach(ordered -> plans.addAll(ordered.plans()));
        return plans;
    }

    void run(RowReader reader, Work work) {
        alone.forEach((property, ordered) -> sum(property, ordered, reader, work));
        if (needsResults()) {
            results(reader, work);
        }
    }

    private void sum(String property, PlannedQuery ordered, RowReader reader, Work work) {
        Summand summand = new Summand(property, ordered);
        try (Walk walk = ordered.walk(reader, null, work)) {
            while (walk.next()) {
                figures.add(property, summand.at(walk.position()));
            }
        }
    }

    private void results(RowReader reader, Work work) {
        Query query = planned.query();
        byte[] start = cursor(query.getStartCursor(), "start_cursor");
        byte[] until = cursor(query.getEndCursor(), "end_cursor");
        int limit = query.hasLimit() ? query.getLimit().getValue() : Integer.MAX_VALUE;
        long end = (long) query.getOffset() + limit;
        long met = 0;
        boolean entities = here.values().stream().anyMatch(summand -> !summand.inPosition());
        List<byte[]> pending = new ArrayList<>();
        try (Walk walk = planned.walk(reader, start, work)) {
            while (met < end && !figures.complete() && walk.next()) {
                if (until != null && Bytes.compare(walk.position(), until) > 0) {
                    break;
                }
                met++;
                if (met <= query.getOffset()) {
                    continue;
                }
                figures.count();
                for (Summand summand : here.values()) {
                    if (summand.inPosition()) {
                        figures.add(summand.property(), summand.at(walk.position()));
                    }
                }
                if (!entities) {
                    continue;
                }
                Row row = walk.fetched();
                if (row != null) {
                    add(row, walk.path());
                    continue;
                }
                pending.add(walk.path());
                if (pending.size() == ENTITIES_PER_READ) {
                    read(pending, reader, work);
                }
            }
        }
        read(pending, reader, work);
    }

    private void read(List<byte[]> paths, RowReader reader, Work work) {
        if (paths.isEmpty()) {
            return;
        }
        work.documentsScanned += paths.size();
        List<byte[]> keys = new ArrayList<>(paths.size());
        for (byte[] path : paths) {
            keys.add(RowLayout.entityRow(planned.shape().namespace(), path));
        }
        int index = 0;
        for (Row row : reader.get(keys)) {
            if (row == null) {
                throw MergedWalk.missing();
            }
            add(row, paths.get(index++));
        }
        paths.clear();
    }

    private void add(Row row, byte[] path) {
        var entity = EntityRow.entity(row.value());
        for (Summand summand : here.values()) {
            if (!summand.inPosition()) {
                figures.add(summand.property(), summand.of(entity, path));
            }
        }
    }

    private byte @Nullable [] cursor(ByteString cursor, String field) {
        if (cursor.isEmpty()) {
            return null;
        }
        Shape shape = planned.shape();
        byte[] position = Cursor.position(cursor, shape.fingerprint(), field);
        if (position.length > 0) {
            new Position(shape).check(position);
            return position;
        }
        return field.equals("start_cursor") ? null : position;
    }
}
