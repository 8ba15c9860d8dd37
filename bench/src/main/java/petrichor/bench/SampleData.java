package petrichor.bench;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.Int32Value;
import java.util.List;
import java.util.Random;

/**
 * The entities of the benchmarks: about 400 bytes, five properties of which three are indexed. The
 * same number always gives the same entity.
 */
public final class SampleData {
    public static final String PROJECT = "bench";
    public static final String KIND = "Item";

    /** Entities per group, regardless of the size of the data: a query returns 20 of them. */
    static final int GROUP_SIZE = 20;

    private static final int TEXT_BYTES = 280;

    private SampleData() {}

    public static Key key(long number) {
        return Key.newBuilder()
                .setPartitionId(PartitionId.newBuilder().setProjectId(PROJECT))
                .addPath(Key.PathElement.newBuilder().setKind(KIND).setId(number + 1))
                .build();
    }

    public static Entity entity(long number, long revision) {
        Random random = new Random(number * 31 + revision);
        StringBuilder text = new StringBuilder(TEXT_BYTES);
        for (int i = 0; i < TEXT_BYTES; i++) {
            text.append((char) ('a' + random.nextInt(26)));
        }
        return Entity.newBuilder()
                .setKey(key(number))
                .putProperties("group", integer(number / GROUP_SIZE))
                .putProperties("rank", integer(number % GROUP_SIZE))
                .putProperties(
                        "city", Value.newBuilder().setStringValue("city" + number % 1000).build())
                .putProperties(
                        "text",
                        Value.newBuilder()
                                .setStringValue(text.toString())
                                .setExcludeFromIndexes(true)
                                .build())
                .putProperties(
                        "revision",
                        Value.newBuilder()
                                .setIntegerValue(revision)
                                .setExcludeFromIndexes(true)
                                .build())
                .build();
    }

    private static Value integer(long value) {
        return Value.newBuilder().setIntegerValue(value).build();
    }

    public static CommitRequest upserts(List<Entity> entities) {
        CommitRequest.Builder commit =
                CommitRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (Entity entity : entities) {
            commit.addMutations(Mutation.newBuilder().setUpsert(entity));
        }
        return commit.build();
    }

    public static LookupRequest lookup(List<Key> keys) {
        return LookupRequest.newBuilder().setProjectId(PROJECT).addAllKeys(keys).build();
    }

    /** The 20 entities of a group: one property, one index. */
    static RunQueryRequest byGroup(long group) {
        return query(
                Query.newBuilder().setFilter(equal("group", integer(group))).setLimit(limit()));
    }

    /**
     * The entities of one city and one rank: merges two indexes, since there is no composite index.
     */
    static RunQueryRequest byCityAndRank(long city, long rank) {
        return query(
                Query.newBuilder()
                        .setFilter(
                                Filter.newBuilder()
                                        .setCompositeFilter(
                                                CompositeFilter.newBuilder()
                                                        .setOp(CompositeFilter.Operator.AND)
                                                        .addFilters(
                                                                equal(
                                                                        "city",
                                                                        Value.newBuilder()
                                                                                .setStringValue(
                                                                                        "city"
                                                                                                + city)
                                                                                .build()))
                                                        .addFilters(equal("rank", integer(rank)))))
                        .setLimit(limit()));
    }

    /** The first 20 by descending group. */
    static RunQueryRequest newestGroups() {
        return query(
                Query.newBuilder()
                        .addOrder(
                                PropertyOrder.newBuilder()
                                        .setProperty(
                                                PropertyReference.newBuilder().setName("group"))
                                        .setDirection(PropertyOrder.Direction.DESCENDING))
                        .setLimit(limit()));
    }

    static Value strings(List<String> values) {
        ArrayValue.Builder array = ArrayValue.newBuilder();
        values.forEach(value -> array.addValues(Value.newBuilder().setStringValue(value)));
        return Value.newBuilder().setArrayValue(array).build();
    }

    private static Int32Value.Builder limit() {
        return Int32Value.newBuilder().setValue(GROUP_SIZE);
    }

    private static RunQueryRequest query(Query.Builder query) {
        return RunQueryRequest.newBuilder()
                .setProjectId(PROJECT)
                .setPartitionId(PartitionId.newBuilder().setProjectId(PROJECT))
                .setQuery(query.addKind(KindExpression.newBuilder().setName(KIND)))
                .build();
    }

    private static Filter equal(String property, Value value) {
        return Filter.newBuilder()
                .setPropertyFilter(
                        PropertyFilter.newBuilder()
                                .setProperty(PropertyReference.newBuilder().setName(property))
                                .setOp(PropertyFilter.Operator.EQUAL)
                                .setValue(value))
                .build();
    }
}
