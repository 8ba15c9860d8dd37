package petrichor.entities.query;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Projection;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyFilter.Operator;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.Value;
import com.google.protobuf.Int32Value;
import com.google.protobuf.NullValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import petrichor.base.PetrichorException;

/** Random entities and queries that combine all features. */
final class RandomQueries {
    static final PartitionId PARTITION = PartitionId.newBuilder().setProjectId("demo").build();
    private static final List<String> PROPERTIES = List.of("a", "b", "c", "e.x");

    private static final int ATTEMPTS_MAX = 50;

    private final Map<String, Integer> refusals = new TreeMap<>();
    private int conjunctions;
    private final Random random;
    private final PartitionId partition;

    RandomQueries(Random random) {
        this(random, PARTITION);
    }

    /**
     * @param partition of entities and queries
     */
    RandomQueries(Random random, PartitionId partition) {
        this.random = random;
        this.partition = partition;
    }

    Entity entity() {
        Entity.Builder entity = Entity.newBuilder().setKey(key());
        for (String property : List.of("a", "b", "c")) {
            if (random.nextInt(6) > 0) {
                entity.putProperties(property, property());
            }
        }
        if (random.nextInt(3) > 0) {
            Entity embedded = Entity.newBuilder().putProperties("x", property()).build();
            entity.putProperties("e", Value.newBuilder().setEntityValue(embedded).build());
        }
        return entity.build();
    }

    Key key() {
        Key.Builder key = Key.newBuilder().setPartitionId(partition);
        if (random.nextInt(3) == 0) {
            key.addPathBuilder().setKind("Root").setId(1 + random.nextInt(2));
        }
        Key.PathElement.Builder own =
                key.addPathBuilder().setKind(random.nextInt(5) == 0 ? "Other" : "Thing");
        if (random.nextBoolean()) {
            own.setId(1 + random.nextInt(60));
        } else {
            own.setName("n" + random.nextInt(60));
        }
        return key.build();
    }

    private Value property() {
        if (random.nextInt(4) > 0) {
            return value();
        }
        ArrayValue.Builder array = ArrayValue.newBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            array.addValues(value());
        }
        return Value.newBuilder().setArrayValue(array).build();
    }

    private Value value() {
        Value.Builder value = Value.newBuilder();
        return switch (random.nextInt(8)) {
            case 0 -> value.setStringValue("s" + random.nextInt(2)).build();
            case 1 -> value.setNullValue(NullValue.NULL_VALUE).build();
            case 2 -> value.setDoubleValue(random.nextInt(3) - 1.5).build();
            case 3 -> value.setBooleanValue(random.nextBoolean()).build();
            default -> value.setIntegerValue(random.nextInt(4)).build();
        };
    }

    Query query() {
        return served(this::any);
    }

    /** A query over all kinds, which may only use keys. */
    Query kindless() {
        return served(this::anyKindless);
    }

    /** A query that is not refused. */
    private Query served(Supplier<Query> source) {
        for (int i = 0; i < ATTEMPTS_MAX; i++) {
            Query query = source.get();
            try {
                QueryCheck.check(query, partition.getProjectId(), partition.getNamespaceId());
                conjunctions += NormalForm.of(query.getFilter()).size();
                return query;
            } catch (PetrichorException e) {
                refusals.merge(
                        String.valueOf(e.getMessage()).replaceAll("\\d+", "?"), 1, Integer::sum);
            }
        }
        throw new AssertionError(
                "too much is refused after " + conjunctions + " conjunctions: " + refusals);
    }

    private Query any() {
        Query.Builder query = Query.newBuilder();
        query.addKind(KindExpression.newBuilder().setName("Thing"));
        Set<String> equal = new HashSet<>();
        if (random.nextInt(5) > 0) {
            query.setFilter(filter(random.nextInt(3), equal));
        }
        List<String> free = new ArrayList<>(PROPERTIES);
        boolean keyOrderFirst = random.nextInt(8) == 0;
        for (int i = keyOrderFirst ? 0 : random.nextInt(3); i > 0; i--) {
            String property = free.remove(random.nextInt(free.size()));
            query.addOrder(order(property));
        }
        if (keyOrderFirst || random.nextInt(4) == 0) {
            query.addOrder(order("__key__"));
        }
        select(query, equal);
        page(query);
        return query.build();
    }

    private Query anyKindless() {
        Query.Builder query = Query.newBuilder();
        CompositeFilter.Builder all =
                CompositeFilter.newBuilder().setOp(CompositeFilter.Operator.AND);
        for (int i = random.nextInt(3); i > 0; i--) {
            all.addFilters(Filter.newBuilder().setPropertyFilter(keyFilter()));
        }
        if (all.getFiltersCount() > 0) {
            query.setFilter(Filter.newBuilder().setCompositeFilter(all));
        }
        if (random.nextBoolean()) {
            query.addOrder(order("__key__"));
        }
        if (random.nextInt(3) == 0) {
            query.addProjection(projection("__key__"));
        }
        page(query);
        return query.build();
    }

    private void page(Query.Builder query) {
        if (random.nextInt(3) == 0) {
            query.setOffset(random.nextInt(10));
        }
        if (random.nextInt(3) == 0) {
            query.setLimit(Int32Value.of(random.nextInt(20)));
        }
    }

    private void select(Query.Builder query, Set<String> equal) {
        switch (random.nextInt(5)) {
            case 0 -> query.addProjection(projection("__key__"));
            case 1 -> {
                List<String> free = new ArrayList<>(PROPERTIES);
                free.removeAll(equal);
                for (int i = 1 + random.nextInt(2); i > 0 && !free.isEmpty(); i--) {
                    query.addProjection(projection(free.remove(random.nextInt(free.size()))));
                }
                if (query.getOrderCount() == 0 && random.nextBoolean()) {
                    query.getProjectionList().forEach(p -> query.addDistinctOn(p.getProperty()));
                }
            }
            default -> {}
        }
    }

    private static Projection projection(String property) {
        return Projection.newBuilder()
                .setProperty(PropertyReference.newBuilder().setName(property))
                .build();
    }

    private PropertyOrder order(String property) {
        return PropertyOrder.newBuilder()
                .setProperty(PropertyReference.newBuilder().setName(property))
                .setDirection(
                        random.nextBoolean()
                                ? PropertyOrder.Direction.ASCENDING
                                : PropertyOrder.Direction.DESCENDING)
                .build();
    }

    private Filter filter(int depth, Set<String> equal) {
        if (depth == 0) {
            return Filter.newBuilder().setPropertyFilter(propertyFilter(equal)).build();
        }
        CompositeFilter.Builder composite =
                CompositeFilter.newBuilder()
                        .setOp(
                                random.nextInt(3) == 0
                                        ? CompositeFilter.Operator.OR
                                        : CompositeFilter.Operator.AND);
        for (int i = 1 + random.nextInt(2); i >= 0; i--) {
            composite.addFilters(filter(random.nextInt(depth), equal));
        }
        return Filter.newBuilder().setCompositeFilter(composite).build();
    }

    private PropertyFilter keyFilter() {
        PropertyFilter.Builder filter = PropertyFilter.newBuilder();
        filter.getPropertyBuilder().setName("__key__");
        Key key = key();
        switch (random.nextInt(8)) {
            case 0 -> filter.setOp(Operator.EQUAL);
            case 1 -> filter.setOp(Operator.NOT_EQUAL);
            case 2, 3 -> filter.setOp(Operator.GREATER_THAN);
            case 4 -> filter.setOp(Operator.LESS_THAN_OR_EQUAL);
            default -> {
                filter.setOp(Operator.HAS_ANCESTOR);
                Key.Builder root = Key.newBuilder().setPartitionId(partition);
                root.addPathBuilder().setKind("Root").setId(1 + random.nextInt(2));
                key = root.build();
            }
        }
        return filter.setValue(Value.newBuilder().setKeyValue(key)).build();
    }

    private PropertyFilter propertyFilter(Set<String> equal) {
        PropertyFilter.Builder filter = PropertyFilter.newBuilder();
        if (random.nextInt(8) == 0) {
            return keyFilter();
        }
        String property = PROPERTIES.get(random.nextInt(PROPERTIES.size()));
        filter.getPropertyBuilder().setName(property);
        Operator operator =
                switch (random.nextInt(12)) {
                    case 0 -> Operator.LESS_THAN;
                    case 1 -> Operator.LESS_THAN_OR_EQUAL;
                    case 2 -> Operator.GREATER_THAN;
                    case 3 -> Operator.GREATER_THAN_OR_EQUAL;
                    case 4 -> Operator.NOT_EQUAL;
                    case 5 -> Operator.NOT_IN;
                    case 6, 7 -> Operator.IN;
                    default -> Operator.EQUAL;
                };
        filter.setOp(operator);
        if (operator == Operator.IN || operator == Operator.NOT_IN) {
            ArrayValue.Builder array = ArrayValue.newBuilder();
            for (int i = random.nextInt(3); i >= 0; i--) {
                array.addValues(value());
            }
            filter.setValue(Value.newBuilder().setArrayValue(array));
        } else {
            filter.setValue(value());
        }
        if (operator == Operator.EQUAL || operator == Operator.IN) {
            equal.add(property);
        }
        return filter.build();
    }
}
