package petrichor.entities.query;

import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyFilter.Operator;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.entities.IndexedValues;
import petrichor.entities.KeyCodec;
import petrichor.entities.SortOrder;
import petrichor.entities.ValueCodec;

/** Reference implementation of queries: examines every entity. */
final class Oracle {
    private final Query query;
    private final List<String> columns = new ArrayList<>();
    private final List<Boolean> descending = new ArrayList<>();
    private boolean keyDescending;

    /** The column before which the key orders. */
    private int keyAt = Integer.MAX_VALUE;

    private Oracle(Query query) {
        this.query = query;
    }

    /** One result: its key's path and the values of the sort columns at its position. */
    record Hit(Bytes path, Map<String, Bytes> at) {
        Bytes value(String column) {
            return Objects.requireNonNull(at.get(column));
        }
    }

    static List<Hit> answer(Query query, List<Entity> entities) {
        Oracle oracle = new Oracle(query);
        oracle.findColumns();
        return oracle.answer(entities);
    }

    private void findColumns() {
        for (PropertyOrder order : query.getOrderList()) {
            boolean down = order.getDirection() == PropertyOrder.Direction.DESCENDING;
            if (order.getProperty().getName().equals("__key__")) {
                keyDescending = down;
                keyAt = columns.size();
                break;
            }
            addColumn(order.getProperty().getName(), down);
        }
        query.getDistinctOnList().forEach(p -> addColumn(p.getName(), false));
        Set<String> ranged = new TreeSet<>();
        collectRanged(query.getFilter(), ranged);
        ranged.forEach(p -> addColumn(p, false));
        query.getProjectionList().forEach(p -> addColumn(p.getProperty().getName(), false));
    }

    private void addColumn(String property, boolean down) {
        if (!property.equals("__key__") && !columns.contains(property)) {
            columns.add(property);
            descending.add(down);
        }
    }

    private static void collectRanged(Filter filter, Set<String> into) {
        filter.getCompositeFilter().getFiltersList().forEach(part -> collectRanged(part, into));
        Set<Operator> equal = Set.of(Operator.EQUAL, Operator.IN, Operator.HAS_ANCESTOR);
        if (filter.hasPropertyFilter() && !equal.contains(filter.getPropertyFilter().getOp())) {
            into.add(filter.getPropertyFilter().getProperty().getName());
        }
    }

    private List<Hit> answer(List<Entity> entities) {
        List<List<PropertyFilter>> terms = terms(query.getFilter());
        List<Hit> hits = new ArrayList<>();
        boolean whole =
                query.getProjectionList().stream()
                        .allMatch(p -> p.getProperty().getName().equals("__key__"));
        boolean once = whole && query.getDistinctOnCount() == 0;
        for (Entity entity : entities) {
            var path = entity.getKey().getPathList();
            if (query.getKindCount() > 0
                    && !path.getLast().getKind().equals(query.getKind(0).getName())) {
                continue;
            }
            Set<Hit> met = new HashSet<>();
            for (List<PropertyFilter> term : terms) {
                met.addAll(met(entity, term));
            }
            if (once && !met.isEmpty()) {
                hits.add(met.stream().min(order()).orElseThrow());
            } else {
                hits.addAll(met);
            }
        }
        hits.sort(order());
        if (query.getDistinctOnCount() > 0) {
            Set<List<@Nullable Bytes>> groups = new HashSet<>();
            hits.removeIf(
                    hit -> {
                        List<@Nullable Bytes> group = new ArrayList<>();
                        query.getDistinctOnList().forEach(p -> group.add(hit.at.get(p.getName())));
                        return !groups.add(group);
                    });
        }
        int from = Math.min(query.getOffset(), hits.size());
        int to =
                query.hasLimit()
                        ? Math.min(from + query.getLimit().getValue(), hits.size())
                        : hits.size();
        return hits.subList(from, to);
    }

    private Comparator<Hit> order() {
        return (left, right) -> {
            for (int i = 0; i < columns.size(); i++) {
                int keys = i == keyAt ? left.path.compareTo(right.path) : 0;
                if (keys != 0) {
                    return keyDescending ? -keys : keys;
                }
                int order = left.value(columns.get(i)).compareTo(right.value(columns.get(i)));
                if (order != 0) {
                    return descending.get(i) ? -order : order;
                }
            }
            int order = left.path.compareTo(right.path);
            return keyDescending ? -order : order;
        };
    }

    private Set<Hit> met(Entity entity, List<PropertyFilter> term) {
        Bytes path = Bytes.of(KeyCodec.path(entity.getKey()));
        IndexedValues values = IndexedValues.of(entity);
        Map<String, Set<Bytes>> candidates = new LinkedHashMap<>();
        Map<String, TreeSet<Bytes>> equal = new LinkedHashMap<>();
        for (PropertyFilter filter : term) {
            String property = filter.getProperty().getName();
            if (property.equals("__key__")) {
                Bytes other = Bytes.of(KeyCodec.path(filter.getValue().getKeyValue()));
                boolean holds =
                        filter.getOp() == Operator.HAS_ANCESTOR
                                ? Bytes.startsWith(path.array(), other.array())
                                : holds(path.compareTo(other), filter.getOp());
                if (!holds) {
                    return Set.of();
                }
            } else if (filter.getOp() == Operator.EQUAL) {
                Bytes value = encode(filter.getValue());
                if (!values.of(property).contains(value)) {
                    return Set.of();
                }
                equal.computeIfAbsent(property, _ -> new TreeSet<>()).add(value);
            }
        }
        for (PropertyFilter filter : term) {
            String property = filter.getProperty().getName();
            if (property.equals("__key__") || filter.getOp() == Operator.EQUAL) {
                continue;
            }
            Set<Bytes> left =
                    candidates.computeIfAbsent(property, _ -> new TreeSet<>(values.of(property)));
            left.removeIf(
                    value -> !holds(value.compareTo(encode(filter.getValue())), filter.getOp()));
            if (left.isEmpty()) {
                return Set.of();
            }
        }
        List<Map<String, Bytes>> tuples = new ArrayList<>(List.of(Map.of()));
        for (int i = 0; i < columns.size(); i++) {
            String column = columns.get(i);
            Collection<Bytes> choices = candidates.get(column);
            if (choices == null) {
                choices = values.of(column);
            }
            TreeSet<Bytes> fixed = equal.get(column);
            // A value required by an equality may also satisfy the range; then it is the position.
            if (fixed != null
                    && (!candidates.containsKey(column)
                            || fixed.stream().anyMatch(choices::contains))) {
                choices = Set.of(descending.get(i) ? fixed.last() : fixed.first());
            }
            List<Map<String, Bytes>> longer = new ArrayList<>();
            for (Map<String, Bytes> tuple : tuples) {
                for (Bytes choice : choices) {
                    Map<String, Bytes> more = new LinkedHashMap<>(tuple);
                    more.put(column, choice);
                    longer.add(more);
                }
            }
            tuples = longer;
        }
        Set<Hit> hits = new HashSet<>();
        tuples.forEach(tuple -> hits.add(new Hit(path, tuple)));
        return hits;
    }

    private static boolean holds(int order, Operator operator) {
        return switch (operator) {
            case EQUAL -> order == 0;
            case LESS_THAN -> order < 0;
            case LESS_THAN_OR_EQUAL -> order <= 0;
            case GREATER_THAN -> order > 0;
            case GREATER_THAN_OR_EQUAL -> order >= 0;
            case NOT_EQUAL, NOT_IN -> order != 0;
            case IN, HAS_ANCESTOR, OPERATOR_UNSPECIFIED, UNRECOGNIZED ->
                    throw new IllegalArgumentException(operator.name());
        };
    }

    private static Bytes encode(Value value) {
        return Bytes.of(ValueCodec.encode(value, SortOrder.ASCENDING));
    }

    /** An OR of ANDs; IN is an OR of equalities, NOT IN an AND of inequalities. */
    private static List<List<PropertyFilter>> terms(Filter filter) {
        if (filter.hasPropertyFilter()) {
            PropertyFilter property = filter.getPropertyFilter();
            List<PropertyFilter> each = new ArrayList<>();
            for (Value value : property.getValue().getArrayValue().getValuesList()) {
                Operator op = property.getOp() == Operator.IN ? Operator.EQUAL : Operator.NOT_EQUAL;
                each.add(property.toBuilder().setOp(op).setValue(value).build());
            }
            if (property.getOp() == Operator.IN) {
                return each.stream().map(List::of).toList();
            }
            return List.of(property.getOp() == Operator.NOT_IN ? each : List.of(property));
        }
        if (!filter.hasCompositeFilter()) {
            return List.of(List.of());
        }
        List<List<PropertyFilter>> all = new ArrayList<>();
        boolean or = filter.getCompositeFilter().getOp() == CompositeFilter.Operator.OR;
        if (!or) {
            all.add(List.of());
        }
        for (Filter part : filter.getCompositeFilter().getFiltersList()) {
            if (or) {
                all.addAll(terms(part));
                continue;
            }
            List<List<PropertyFilter>> product = new ArrayList<>();
            for (List<PropertyFilter> left : all) {
                for (List<PropertyFilter> right : terms(part)) {
                    List<PropertyFilter> both = new ArrayList<>(left);
                    both.addAll(right);
                    product.add(both);
                }
            }
            all = product;
        }
        return all;
    }
}
