package petrichor.entities.query;

import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Query;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.entities.CompositeIndex;
import petrichor.entities.IndexDefinition;
import petrichor.transactions.RowReader;

/**
 * A checked query with a plan for each of its conjunctions. Immutable.
 *
 * @param missing indexes without which the query cannot be answered; then the plans are incomplete
 */
record PlannedQuery(
        Query query,
        PartitionId partition,
        Shape shape,
        List<Conjunction> conjunctions,
        List<ScanPlan> plans,
        List<IndexDefinition> missing) {

    /**
     * @param indexes the readable ones of a kind
     */
    static PlannedQuery of(
            Query query, PartitionId partition, Function<String, List<CompositeIndex>> indexes) {
        QueryCheck.check(query, partition.getProjectId(), partition.getNamespaceId());
        List<Conjunction> conjunctions = NormalForm.of(query.getFilter());
        Shape shape = Shape.of(query, partition.getNamespaceId(), conjunctions);
        return of(query, partition, shape, conjunctions, indexes);
    }

    private static PlannedQuery of(
            Query query,
            PartitionId partition,
            Shape shape,
            List<Conjunction> conjunctions,
            Function<String, List<CompositeIndex>> indexes) {
        List<ScanPlan> plans = new ArrayList<>();
        List<IndexDefinition> missing = new ArrayList<>();
        if (!MetadataWalk.covers(shape.kind())) {
            Planner planner = new Planner(shape, indexes.apply(shape.kind()));
            for (Conjunction conjunction : conjunctions) {
                switch (planner.plan(conjunction)) {
                    case Planner.Planned.Found(ScanPlan plan) -> plans.add(plan);
                    case Planner.Planned.Missing(IndexDefinition index) -> {
                        if (!missing.contains(index)) {
                            missing.add(index);
                        }
                    }
                }
            }
        }
        return new PlannedQuery(query, partition, shape, conjunctions, plans, missing);
    }

    boolean complete() {
        return missing.isEmpty();
    }

    /** Ids of the composite indexes that it reads. */
    Set<Integer> composites() {
        Set<Integer> ids = new HashSet<>();
        for (ScanPlan plan : plans) {
            for (ScanPlan.IndexScan scan : plan.scans()) {
                if (scan.source() == ScanPlan.Source.COMPOSITE) {
                    ids.add(scan.index());
                }
            }
        }
        return ids;
    }

    /**
     * The same query in another order that it leaves open and for which indexes exist; this one if
     * none exists. Cursors of the query decide between several.
     */
    PlannedQuery permuted(Function<String, List<CompositeIndex>> indexes) {
        if (shape.kind().isEmpty() || MetadataWalk.covers(shape.kind())) {
            return this;
        }
        for (Shape other : new Permutations(query, shape).in(indexes.apply(shape.kind()))) {
            PlannedQuery planned = of(query, partition, other, conjunctions, indexes);
            if (planned.complete() && planned.fitsCursors()) {
                return planned;
            }
        }
        return this;
    }

    /** Whether the query's cursors may come from results in this order. */
    boolean fitsCursors() {
        return Cursor.fits(query.getStartCursor(), shape)
                && Cursor.fits(query.getEndCursor(), shape);
    }

    /**
     * The results that have all of these properties, with their values in the positions. If the
     * query leaves the order open, the results are ordered by these properties. Returns this if it
     * already meets these requirements.
     */
    PlannedQuery orderedBy(
            Collection<String> properties, Function<String, List<CompositeIndex>> indexes) {
        boolean keyOrdered =
                query.getOrderList().stream()
                        .anyMatch(order -> order.getProperty().getName().equals(QueryCheck.KEY));
        Shape ordered = shape.orderedBy(properties, keyOrdered);
        return ordered.equals(shape) || MetadataWalk.covers(shape.kind())
                ? this
                : of(query, partition, ordered, conjunctions, indexes);
    }

    /**
     * @param start null for the start of the query
     */
    Walk walk(RowReader reader, @Nullable Point start, Work work) {
        if (MetadataWalk.covers(shape.kind())) {
            return new MetadataWalk(shape, conjunctions, partition, reader, start, work);
        }
        FirstPosition firstPosition = new FirstPosition(shape, conjunctions);
        Walk merged =
                new MergedWalk(
                        shape,
                        plans,
                        firstPosition,
                        reader,
                        start,
                        MergedWalk.REMEMBERED_MAX,
                        work);
        return start == null || !shape.repeats() || shape.keyFirst()
                ? merged
                : new ResumedWalk(
                        merged, start, wanted(), shape.namespace(), firstPosition, reader, work);
    }

    /** Results to examine: one more than are returned, to determine whether more exist. */
    private long wanted() {
        if (!query.getEndCursor().isEmpty()) {
            return 1;
        }
        return query.hasLimit()
                ? (long) query.getOffset() + query.getLimit().getValue() + 1
                : Long.MAX_VALUE;
    }
}
