package petrichor.entities.query;

import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Projection;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import petrichor.base.Bytes;
import petrichor.entities.IndexDefinition.Column;
import petrichor.entities.SortOrder;

/**
 * The results of a query and their order, with everything implicit made explicit: the sort columns
 * are the given orders, then distinct properties, then properties with inequalities, then projected
 * ones; the key comes last. If the query orders by the key before implied properties, it is a
 * column like them, so that it orders first. A property with the same value in all results is not a
 * column.
 *
 * @param kind empty for a query over all kinds
 * @param columns of a position, before the key
 * @param distinct how many of the columns must differ between results; 0 if not required
 * @param projected properties in the results; empty for whole entities
 */
record Shape(
        String namespace,
        String kind,
        Results results,
        List<Column> columns,
        SortOrder keyOrder,
        int distinct,
        boolean distinctDemanded,
        List<String> projected) {

    /** Content of the results. */
    enum Results {
        ENTITIES,
        PROJECTIONS,
        KEYS
    }

    /** Distinguishes cursors of different orders. */
    int fingerprint() {
        return Objects.hash(
                namespace,
                kind,
                keyOrder.name(),
                columns.stream().map(c -> c.property() + "/" + c.order().name()).toList());
    }

    /** Whether an entity may occur at several positions although it is one result. */
    boolean repeats() {
        return !columns.isEmpty() && results != Results.PROJECTIONS && !distinctDemanded;
    }

    /** Whether all positions of an entity are adjacent. */
    boolean keyFirst() {
        return !columns.isEmpty() && columns.getFirst().property().equals(QueryCheck.KEY);
    }

    /**
     * The same shape with these properties as the last columns, which does not change the query's
     * order; properties that are columns already keep their place.
     */
    Shape orderedBy(Collection<String> properties, boolean keyOrdered) {
        List<Column> more = new ArrayList<>(columns);
        if (keyOrdered && !keyInColumns()) {
            more.add(new Column(QueryCheck.KEY, keyOrder));
        }
        for (String property : properties) {
            if (more.stream().noneMatch(column -> column.property().equals(property))) {
                more.add(new Column(property, SortOrder.ASCENDING));
            }
        }
        if (more.size() == columns.size() || more.getLast().property().equals(QueryCheck.KEY)) {
            return this;
        }
        return with(more, keyOrdered ? SortOrder.ASCENDING : keyOrder);
    }

    private boolean keyInColumns() {
        return columns.stream().anyMatch(column -> column.property().equals(QueryCheck.KEY));
    }

    Shape with(List<Column> otherColumns, SortOrder otherKeyOrder) {
        return new Shape(
                namespace,
                kind,
                results,
                List.copyOf(otherColumns),
                otherKeyOrder,
                distinct,
                distinctDemanded,
                projected);
    }

    static Shape of(Query query, String namespace, List<Conjunction> conjunctions) {
        Map<String, SortOrder> wanted = new LinkedHashMap<>();
        SortOrder keyOrder = null;
        for (PropertyOrder order : query.getOrderList()) {
            SortOrder direction =
                    order.getDirection() == PropertyOrder.Direction.DESCENDING
                            ? SortOrder.DESCENDING
                            : SortOrder.ASCENDING;
            if (order.getProperty().getName().equals(QueryCheck.KEY)) {
                keyOrder = direction;
                break;
            }
            wanted.putIfAbsent(order.getProperty().getName(), direction);
        }
        String kind = query.getKindCount() == 0 ? "" : query.getKind(0).getName();
        if (keyOrder == null && wanted.isEmpty() && MetadataWalk.covers(kind)) {
            keyOrder = SortOrder.ASCENDING;
        }
        int given = wanted.size();
        query.getDistinctOnList().stream()
                .map(PropertyReference::getName)
                .forEach(property -> wanted.putIfAbsent(property, SortOrder.ASCENDING));
        ranged(query.getFilter())
                .forEach(property -> wanted.putIfAbsent(property, SortOrder.ASCENDING));
        List<String> projected =
                query.getProjectionList().stream()
                        .map(Projection::getProperty)
                        .map(PropertyReference::getName)
                        .toList();
        projected.forEach(property -> wanted.putIfAbsent(property, SortOrder.ASCENDING));
        wanted.remove(QueryCheck.KEY);
        List<Column> columns = new ArrayList<>();
        List<Column> behindKey = new ArrayList<>();
        int index = 0;
        for (Map.Entry<String, SortOrder> column : wanted.entrySet()) {
            boolean behind = keyOrder != null && index++ >= given;
            if (!constant(column.getKey(), conjunctions)) {
                (behind ? behindKey : columns).add(new Column(column.getKey(), column.getValue()));
            }
        }
        if (keyOrder != null && !behindKey.isEmpty()) {
            columns.add(new Column(QueryCheck.KEY, keyOrder));
            columns.addAll(behindKey);
            keyOrder = SortOrder.ASCENDING;
        }
        List<String> distinctOn =
                query.getDistinctOnList().stream().map(PropertyReference::getName).toList();
        return new Shape(
                namespace,
                kind,
                results(projected),
                List.copyOf(columns),
                keyOrder == null ? SortOrder.ASCENDING : keyOrder,
                (int) columns.stream().filter(c -> distinctOn.contains(c.property())).count(),
                !distinctOn.isEmpty() && !distinctOn.contains(QueryCheck.KEY),
                projected);
    }

    private static Results results(List<String> projected) {
        if (projected.isEmpty()) {
            return Results.ENTITIES;
        }
        return projected.stream().allMatch(QueryCheck.KEY::equals)
                ? Results.KEYS
                : Results.PROJECTIONS;
    }

    /** Whether all results have the same single value, so that ordering by it has no effect. */
    static boolean constant(String property, List<Conjunction> conjunctions) {
        List<Bytes> values = null;
        for (Conjunction conjunction : conjunctions) {
            List<Bytes> here = conjunction.constants(property);
            if (here == null || (values != null && !values.equals(here))) {
                return false;
            }
            values = here;
        }
        return values != null;
    }

    /** The properties with inequalities, except the key. */
    static Set<String> ranged(Filter filter) {
        TreeSet<String> properties = new TreeSet<>();
        collectRanged(filter, properties);
        return properties;
    }

    private static void collectRanged(Filter filter, TreeSet<String> properties) {
        for (Filter part : filter.getCompositeFilter().getFiltersList()) {
            collectRanged(part, properties);
        }
        if (filter.hasPropertyFilter()) {
            boolean ranged =
                    switch (filter.getPropertyFilter().getOp()) {
                        case LESS_THAN,
                                LESS_THAN_OR_EQUAL,
                                GREATER_THAN,
                                GREATER_THAN_OR_EQUAL,
                                NOT_EQUAL,
                                NOT_IN ->
                                true;
                        case EQUAL, IN, HAS_ANCESTOR, OPERATOR_UNSPECIFIED, UNRECOGNIZED -> false;
                    };
            String property = property(filter.getPropertyFilter());
            if (ranged && !property.equals(QueryCheck.KEY)) {
                properties.add(property);
            }
        }
    }

    private static String property(PropertyFilter filter) {
        return filter.getProperty().getName();
    }
}
