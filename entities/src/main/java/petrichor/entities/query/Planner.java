package petrichor.entities.query;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
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
 * Selects indexes whose rows, after a prefix of equal values, are exactly in the order of the
 * query. The properties with equalities may come in any order and direction. When no index covers
 * all equalities and the ancestor, several are joined; an index is joined with itself when a
 * property must have several values. These are Google's rules of index selection. If an index is
 * missing, the result names it. Stateless except for the given indexes.
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
                columns.add(reverse ? column.reversed() : column);
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
        Set<Demand> open = demands(conjunction);
        if (shape.kind().isEmpty()) {
            byte[] prefix = RowLayout.entityPrefix(shape.namespace());
            return List.of(new IndexScan(0, "(__name__ ASC)", false, prefix, Source.ENTITIES));
        }
        if (open.isEmpty() && columns.isEmpty()) {
            byte[] prefix = RowLayout.kindPrefix(shape.namespace(), shape.kind());
            return List.of(new IndexScan(0, "(__name__ ASC)", false, prefix, Source.KIND));
        }
        boolean simple = columns.size() == 1 && conjunction.ancestor() == null;
        if (open.isEmpty() && simple) {
            return List.of(property(columns.getFirst(), new byte[0]));
        }
        // Without sort columns the path comes right after the prefix, and finds descendants.
        Demand ancestor =
                conjunction.ancestor() == null || columns.isEmpty()
                        ? null
                        : new Demand(QueryCheck.KEY, Bytes.of(conjunction.ancestor()));
        List<Candidate> candidates = candidates(conjunction, columns, open, ancestor);
        if (columns.isEmpty()) {
            for (Demand equality : open) {
                candidates.add(
                        new Candidate(
                                property(
                                        new Column(equality.property(), SortOrder.ASCENDING),
                                        equality.value().array()),
                                Set.of(equality)));
            }
        }
        if (ancestor != null) {
            open.add(ancestor);
        }
        return cover(candidates, open);
    }

    /**
     * A condition that the prefixes of the indexes must cover: a value that a property must have,
     * or, as the property {@code __key__}, the ancestor.
     */
    private record Demand(String property, Bytes value) {}

    /** A suitable index, and the demands that its prefix covers. */
    private record Candidate(IndexScan scan, Set<Demand> covers) {}

    private static Set<Demand> demands(Conjunction conjunction) {
        Set<Demand> all = new LinkedHashSet<>();
        conjunction
                .equalities()
                .forEach(
                        (property, values) ->
                                values.forEach(value -> all.add(new Demand(property, value))));
        return all;
    }

    /**
     * Greedy cover: repeatedly selects the index that covers most, until all demands are covered.
     */
    private static @Nullable List<IndexScan> cover(List<Candidate> candidates, Set<Demand> all) {
        Set<Demand> open = new HashSet<>(all);
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
            Conjunction conjunction,
            List<Column> columns,
            Set<Demand> equalities,
            @Nullable Demand ancestor) {
        List<Candidate> candidates = new ArrayList<>();
        for (CompositeIndex index : indexes) {
            if (index.definition().ancestor() && conjunction.ancestor() == null) {
                continue;
            }
            Set<Demand> met = new HashSet<>();
            boolean more = true;
            while (more) {
                Candidate candidate = candidate(index, conjunction, columns, equalities, met);
                more = candidate != null && met.addAll(candidate.covers());
                if (candidate != null && (more || candidate.covers().isEmpty())) {
                    if (index.definition().ancestor() && ancestor != null) {
                        candidate.covers().add(ancestor);
                    }
                    candidates.add(candidate);
                }
            }
        }
        return candidates;
    }

    /**
     * The rows of an index with one choice of values for its prefix; null if its columns do not
     * fit.
     *
     * @param met demands covered by other choices for the same index; others are preferred
     */
    private @Nullable Candidate candidate(
            CompositeIndex index,
            Conjunction conjunction,
            List<Column> columns,
            Set<Demand> equalities,
            Set<Demand> met) {
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
        Set<Demand> covers = new HashSet<>();
        for (Column column : has.subList(0, fixed)) {
            Demand next = choice(column.property(), equalities, covers, met);
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
        IndexScan scan =
                new IndexScan(
                        index.id(), name, index.definition().ancestor(), prefix, Source.COMPOSITE);
        return new Candidate(scan, covers);
    }

    /** A value for a column, preferably one that is not covered yet; null if none fits. */
    private static @Nullable Demand choice(
            String property, Set<Demand> equalities, Set<Demand> covers, Set<Demand> met) {
        Demand any = null;
        Demand here = null;
        for (Demand equality : equalities) {
            if (!equality.property().equals(property)) {
                continue;
            }
            any = equality;
            if (!covers.contains(equality)) {
                if (!met.contains(equality)) {
                    return equality;
                }
                here = equality;
            }
        }
        return here == null ? any : here;
    }

    private IndexScan property(Column column, byte[] value) {
        byte[] prefix =
                RowLayout.propertyPrefix(
                        shape.namespace(), shape.kind(), column.property(), column.order());
        return new IndexScan(
                0, name(List.of(column)), false, Bytes.concat(prefix, value), Source.PROPERTY);
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

    /** A property with several values is named once: the index is joined with itself. */
    private IndexDefinition needed(Conjunction conjunction, List<Column> columns) {
        List<Column> all = new ArrayList<>();
        for (String property : conjunction.equalities().keySet()) {
            all.add(new Column(property, SortOrder.ASCENDING));
        }
        all.addAll(columns);
        return new IndexDefinition(shape.kind(), conjunction.ancestor() != null, all);
    }
}
