package petrichor.entities.query;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.entities.CompositeIndex;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/**
 * Feeds the results of a query to {@link AggregateResults}. As in Datastore, one scan serves all
 * aggregations: it uses an index of all properties that are summed or averaged, so that results
 * that lack one of them are in no aggregation, and with a limit but no order the first results by
 * these properties are taken. Reads entities only if no such index exists, or if the query's
 * cursors, projection or distinct properties require another order. Confined to one thread.
 */
final class AggregationRun {
    private static final int ENTITIES_PER_READ = 50;

    private final PlannedQuery planned;
    private final AggregateResults aggregates;
    private final List<SummedValue> summands;
    private final boolean entities;

    /**
     * @param planned the result of {@link #source}, or the query itself to read entities
     */
    AggregationRun(PlannedQuery planned, AggregateResults aggregates) {
        this.planned = planned;
        this.aggregates = aggregates;
        this.summands =
                aggregates.properties().stream()
                        .map(property -> new SummedValue(property, planned))
                        .toList();
        this.entities = summands.stream().anyMatch(summand -> !summand.inPosition());
    }

    /**
     * The query in an order that contains all aggregated values; may lack indexes.
     *
     * @param indexes the readable ones of a kind
     */
    static PlannedQuery source(
            PlannedQuery planned,
            AggregateResults aggregates,
            Function<String, List<CompositeIndex>> indexes) {
        Query query = planned.query();
        boolean fixed =
                query.getKindCount() == 0
                        || !query.getStartCursor().isEmpty()
                        || !query.getEndCursor().isEmpty()
                        || planned.shape().distinctDemanded()
                        || planned.shape().results() == Shape.Results.PROJECTIONS;
        if (fixed) {
            return planned;
        }
        Set<String> properties =
                aggregates.properties().stream()
                        .filter(property -> !Shape.constant(property, planned.conjunctions()))
                        .collect(Collectors.toCollection(LinkedHashSet::new));
        return planned.orderedBy(properties, indexes);
    }

    /** Whether the aggregations depend on the order of the query's results. */
    static boolean dependsOnOrder(Query query) {
        return query.hasLimit() || query.getOffset() > 0;
    }

    List<ScanPlan> plans() {
        return planned.plans();
    }

    void run(RowReader reader, Work work) {
        Query query = planned.query();
        Point given = cursor(query.getStartCursor(), "start_cursor");
        Point start = given == null || given.isStart() ? null : given;
        Point until = cursor(query.getEndCursor(), "end_cursor");
        int limit = query.hasLimit() ? query.getLimit().getValue() : Integer.MAX_VALUE;
        long end = (long) query.getOffset() + limit;
        long met = 0;
        List<byte[]> pending = new ArrayList<>();
        try (Walk walk = planned.walk(reader, start, work)) {
            while (met < end && !aggregates.complete() && walk.next()) {
                if (until != null && until.isBefore(walk.position())) {
                    break;
                }
                met++;
                if (met <= query.getOffset()) {
                    continue;
                }
                Row row = walk.fetched();
                if (!entities) {
                    add(walk.position());
                } else if (row != null) {
                    add(row, walk.path());
                } else {
                    pending.add(walk.path());
                }
                if (pending.size() == ENTITIES_PER_READ) {
                    read(pending, reader, work);
                }
            }
        }
        read(pending, reader, work);
    }

    private void add(byte[] position) {
        aggregates.count();
        for (SummedValue summand : summands) {
            aggregates.add(summand.property(), summand.at(position));
        }
    }

    private void read(List<byte[]> paths, RowReader reader, Work work) {
        if (paths.isEmpty()) {
            return;
        }
        work.documentsScanned(paths.size());
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

    /** An index of all properties would not contain an entity that lacks one of them. */
    private void add(Row row, byte[] path) {
        Entity entity = EntityRow.entity(row.value());
        List<Value> values = new ArrayList<>(summands.size());
        for (SummedValue summand : summands) {
            Value value = summand.of(entity, path);
            if (value == null) {
                return;
            }
            values.add(value);
        }
        aggregates.count();
        for (int i = 0; i < values.size(); i++) {
            aggregates.add(summands.get(i).property(), values.get(i));
        }
    }

    private @Nullable Point cursor(ByteString cursor, String field) {
        return cursor.isEmpty() ? null : Cursor.point(cursor, planned.shape(), field);
    }
}
