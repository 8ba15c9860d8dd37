package petrichor.bench.stores;

import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.Value;
import com.google.protobuf.Int32Value;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import petrichor.entities.IndexDefinition;
import petrichor.entities.SortOrder;

/**
 * The data of the comparison: parents with {@value #CHILDREN} children each; every entity has a
 * number from 1 to {@value #FIRST_MAX} and one from 1 to {@value #SECOND_MAX}. The same key always
 * has the same entity.
 *
 * @param project of the entities
 * @param parents number of parents, once all are loaded
 */
record Families(String project, int parents) {
    static final int CHILDREN = 100;
    static final int FIRST_MAX = 1_000_000;
    static final int SECOND_MAX = 10;
    static final int LIMIT = 100;

    private static final String PARENT = "Parent";
    private static final String CHILD = "Child";

    /** Kind of the entities that operations write and delete; separate from the queried ones. */
    private static final String ITEM = "Item";

    private static final String FIRST = "first";
    private static final String SECOND = "second";

    /** The index that the composite query needs. */
    static final IndexDefinition INDEX =
            new IndexDefinition(
                    CHILD,
                    false,
                    List.of(
                            new IndexDefinition.Column(SECOND, SortOrder.ASCENDING),
                            new IndexDefinition.Column(FIRST, SortOrder.ASCENDING)));

    static Families of(String project, int entities) {
        return new Families(project, Math.max(1, entities / (CHILDREN + 1)));
    }

    Families withParents(int loaded) {
        return new Families(project, loaded);
    }

    int entities() {
        return parents * (CHILDREN + 1);
    }

    /** A parent with its children, which are loaded in one commit. */
    List<Entity> family(int parent) {
        List<Entity> family = new ArrayList<>(CHILDREN + 1);
        family.add(entity(parentKey(parent), parent));
        for (int child = 0; child < CHILDREN; child++) {
            family.add(entity(childKey(parent, child), parent * (CHILDREN + 1L) + child + 1));
        }
        return family;
    }

    Entity item(long number) {
        return entity(itemKey(number), number);
    }

    Key itemKey(long number) {
        return path(Key.PathElement.newBuilder().setKind(ITEM).setId(number + 1)).build();
    }

    Key parentKey(int parent) {
        return path(Key.PathElement.newBuilder().setKind(PARENT).setId(parent + 1L)).build();
    }

    Key childKey(int parent, int child) {
        return parentKey(parent).toBuilder()
                .addPath(Key.PathElement.newBuilder().setKind(CHILD).setId(child + 1L))
                .build();
    }

    /** Any of the children, or of the first {@code among}. */
    Key someChild(SplittableRandom random, int among) {
        int child = random.nextInt(Math.min(among, parents * CHILDREN));
        return childKey(child / CHILDREN, child % CHILDREN);
    }

    private Key.Builder path(Key.PathElement.Builder first) {
        return Key.newBuilder()
                .setPartitionId(PartitionId.newBuilder().setProjectId(project))
                .addPath(first);
    }

    private static Entity entity(Key key, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return Entity.newBuilder()
                .setKey(key)
                .putProperties(FIRST, integer(random.nextInt(1, FIRST_MAX + 1)))
                .putProperties(SECOND, integer(random.nextInt(1, SECOND_MAX + 1)))
                .build();
    }

    // ---- the four queries

    /** The children of some parent. */
    Query ancestor(SplittableRandom random) {
        return ofChildren()
                .setFilter(
                        filter("__key__", PropertyFilter.Operator.HAS_ANCESTOR, someParent(random)))
                .build();
    }

    /** All entities after some parent, of any kind. */
    Query kindless(SplittableRandom random) {
        return limited()
                .setFilter(
                        filter("__key__", PropertyFilter.Operator.GREATER_THAN, someParent(random)))
                .build();
    }

    /** The entities whose first number is greater than some number. */
    Query property(SplittableRandom random) {
        return ofChildren().setFilter(firstAbove(random)).build();
    }

    /** As {@link #property}, with a second number equal to some number. */
    Query composite(SplittableRandom random) {
        Filter second =
                filter(
                        SECOND,
                        PropertyFilter.Operator.EQUAL,
                        integer(random.nextInt(1, SECOND_MAX + 1)));
        return ofChildren()
                .setFilter(
                        Filter.newBuilder()
                                .setCompositeFilter(
                                        CompositeFilter.newBuilder()
                                                .setOp(CompositeFilter.Operator.AND)
                                                .addFilters(firstAbove(random))
                                                .addFilters(second)))
                .build();
    }

    private Value someParent(SplittableRandom random) {
        return Value.newBuilder().setKeyValue(parentKey(random.nextInt(parents))).build();
    }

    private static Filter firstAbove(SplittableRandom random) {
        return filter(
                FIRST,
                PropertyFilter.Operator.GREATER_THAN,
                integer(random.nextInt(1, FIRST_MAX + 1)));
    }

    private static Query.Builder ofChildren() {
        return limited().addKind(KindExpression.newBuilder().setName(CHILD));
    }

    private static Query.Builder limited() {
        return Query.newBuilder().setLimit(Int32Value.of(LIMIT));
    }

    private static Filter filter(String property, PropertyFilter.Operator operator, Value value) {
        return Filter.newBuilder()
                .setPropertyFilter(
                        PropertyFilter.newBuilder()
                                .setProperty(PropertyReference.newBuilder().setName(property))
                                .setOp(operator)
                                .setValue(value))
                .build();
    }

    private static Value integer(long value) {
        return Value.newBuilder().setIntegerValue(value).build();
    }
}
