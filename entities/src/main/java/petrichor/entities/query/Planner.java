package petrichor.entities.query;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.entities.CompositeIndex;
import petrichor.entities.IndexDefinition;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.RowLayout;
import petrichor.entities.SortOrder;
import petrichor.entities.query.ScanPlan.IndexScan;
import petrichor.entities.query.ScanPlan.Source;

/**
 * Finds indexes whose rows, after a prefix of equal values, are exactly in the order of the query;
 * several of them are joined when together they cover all equalities. Which index is missing, if
 * one is, is an answer too. Stateless but for the indexes it was given.
 */
final class Planner {
    private final Shape shape;
    private final List<CompositeIndex> indexes;
    private final boolean reverse;

    Planner(Shape shape, List<CompositeIndex> indexes) {
        this.shape = shape;
        this.indexes = indexes;
        // Rows keep paths in ascending order only.
        this.reverse = shape.keyOrder() == SortOrder.DESCENDING;
    }

    sealed interface Planned {
        record Found(ScanPlan plan) implements Planned {}

        record Missing(IndexDefinition index) implements Planned {}
    }

    Planned plan(Conjunction conjunction) {
        List<byte @Nullable []> constants = new ArrayList<>();
        List<Column> columns = new ArrayList<>();
        for (Column column : shape.columns()) {
            byte[] constant = constant(conjunction, column);
            constants.add(constant);
            if (constant == null) {
                columns.add(reverse ? reversed(column) : column);
            }
        }
        List<IndexScan> scans = scans(conjunction, columns);
        if (scans == null) {
            return new Planned.Missing(needed(conjunction, columns));
        }
        Interval bounds = Interval.ALL;
        Interval keys = conjunction.keys();
        Map<Integer, Interval> filters = new HashMap<>();
        if (columns.isEmpty()) {
            bounds = keys;
            keys = Interval.ALL;
            if (conjunction.ancestor() != null) {
                bounds = bounds.and(Interval.startingWith(conjunction.ancestor()));
            }
        } else {
            for (int i = 0; i < columns.size(); i++) {
                Interval range = conjunction.ranges().get(columns.get(i).property());
                if (range != null) {
                    filters.put(i, inRow(range, columns.get(i)));
                }
            }
            Interval first = filters.remove(0);
            if (first != null) {
                bounds = first;
            }
        }
        return new Planned.Found(
                new ScanPlan(scans, columns, reverse, bounds, filters, keys, constants));
    }

    private static Interval inRow(Interval range, Column column) {
        return column.order() == SortOrder.DESCENDING ? range.inverted() : range;
    }

    private static Column reversed(Column column) {
        return new Column(
                column.property(),
                column.order() == SortOrder.ASCENDING ? SortOrder.DESCENDING : SortOrder.ASCENDING);
    }

    private static byte @Nullable [] constant(Conjunction conjunction, Column column) {
        List<Bytes> values = conjunction.constants(column.property());
        if (values == null) {
            return null;
        }
        return column.order() == SortOrder.ASCENDING
                ? values.getFirst().array()
                : Interval.invert(values.getLast().array());
    }

    private @Nullable List<IndexScan> scans(Conjunction conjunction, List<Column> columns) {
        Set<Equality> open = equalities(conjunction);
        if (shape.kind().isEmpty()) {
            byte[] prefix = RowLayout.entityPrefix(shape.namespace());
            return List.of(new IndexScan("(__name__ ASC)", prefix, Source.ENTITIES));
        }
        if (open.isEmpty() && columns.isEmpty()) {
            byte[] prefix = RowLayout.kindPrefix(shape.namespace(), shape.kind());
            return List.of(new IndexScan("(__name__ ASC)", prefix, Source.KIND));
        }
        boolean simple = columns.size() == 1 && conjunction.ancestor() == null;
        if (open.isEmpty() && simple) {
            return List.of(property(columns.getFirst(), new byte[0]));
        }
        List<Candidate> candidates = candidates(conjunction, columns, open);
        if (columns.isEmpty()) {
            for (Equality equality : open) {
                candidates.add(
                        new Candidate(
                                property(
                                        new Column(equality.property(), SortOrder.ASCENDING),
                                        equality.value().array()),
                                Set.of(equality)));
            }
        }
        return cover(candidates, open);
    }

    /** One value that one property must have. */
    private record Equality(String property, Bytes value) {}

    /** An index with the right columns, and the equalities that its prefix takes care of. */
    private record Candidate(IndexScan scan, Set<Equality> covers) {}

    private static Set<Equality> equalities(Conjunction conjunction) {
        Set<Equality> all = new HashSet<>();
        conjunction
                .equalities()
                .forEach(
                        (property, values) ->
                                values.forEach(value -> all.add(new Equality(property, value))));
        return all;
    }

    /** Greedily the index that covers most, until all is covered. */
    private static @Nullable List<IndexScan> cover(List<Candidate> candidates, Set<Equality> all) {
        Set<Equality> open = new HashSet<>(all);
        List<IndexScan> chosen = new ArrayList<>();
        do {
            Candidate best = null;
            long most = 0;
            for (Candidate candidate : candidates) {
                long covers = candidate.covers().stream().filter(open::contains).count();
                if (covers > most || (best == null && open.isEmpty())) {
                    best = candidate;
                    most = covers;
                }
            }
            if (best == null) {
                return null;
            }
            chosen.add(best.scan());
            open.removeAll(best.covers());
        } while (!open.isEmpty());
        return chosen;
    }

    private List<Candidate> candidates(
            Conjunction conjunction, List<Column> columns, Set<Equality> equalities) {
        List<Candidate> candidates = new ArrayList<>();
        for (CompositeIndex index : indexes) {
            boolean ancestor = index.definition().ancestor();
            // Without sort columns the path comes right after the prefix and finds descendants.
            boolean fits =
                    ancestor
                            ? conjunction.ancestor() != null
                            : conjunction.ancestor() == null || columns.isEmpty();
            Candidate candidate = fits ? candidate(index, conjunction, columns, equalities) : null;
            if (candidate != null) {
                candidates.add(candidate);
            }
        }
        return candidates;
    }

    private @Nullable Candidate candidate(
            CompositeIndex index,
            Conjunction conjunction,
            List<Column> columns,
            Set<Equality> equalities) {
        List<Column> has = index.definition().columns();
        int fixed = has.size() - columns.size();
        if (fixed < 0 || !has.subList(fixed, has.size()).equals(columns)) {
            return null;
        }
        byte[] prefix =
                RowLayout.compositePrefix(
                        index.id(),
                        shape.namespace(),
                        index.definition().ancestor() ? conjunction.ancestor() : null);
        Set<Equality> covers = new HashSet<>();
        for (Column column : has.subList(0, fixed)) {
            Equality next = null;
            for (Equality equality : equalities) {
                if (equality.property().equals(column.property()) && !covers.contains(equality)) {
                    next = equality;
                }
            }
            if (next == null) {
                return null;
            }
            covers.add(next);
            byte[] value = next.value().array();
            prefix =
                    Bytes.concat(
                            prefix,
                            column.order() == SortOrder.DESCENDING
                                    ? Interval.invert(value)
                                    : value);
        }
        String name = name(index.definition().columns());
        return new Candidate(new IndexScan(name, prefix, Source.COMPOSITE), covers);
    }

    private IndexScan property(Column column, byte[] value) {
        byte[] prefix =
                RowLayout.propertyPrefix(
                        shape.namespace(), shape.kind(), column.property(), column.order());
        return new IndexScan(name(List.of(column)), Bytes.concat(prefix, value), Source.PROPERTY);
    }

    private static String name(List<Column> columns) {
        StringBuilder name = new StringBuilder("(");
        for (Column column : columns) {
            boolean key = column.property().equals(QueryCheck.KEY);
            if (!key || !column.equals(columns.getLast())) {
                name.append(key ? "__name__" : column.property())
                        .append(column.order() == SortOrder.ASCENDING ? " ASC, " : " DESC, ");
            }
        }
        return name.append("__name__ ASC)").toString();
    }

    private IndexDefinition needed(Conjunction conjunction, List<Column> columns) {
        List<Column> all = new ArrayList<>();
        conjunction
                .equalities()
                .forEach(
                        (property, values) ->
                                all.addAll(
                                        Collections.nCopies(
                                                values.size(),
                                                new Column(property, SortOrder.ASCENDING))));
        all.addAll(columns);
        return new IndexDefinition(shape.kind(), conjunction.ancestor() != null, all);
    }
}
