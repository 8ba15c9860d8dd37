package petrichor.testing.crash;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.client.DatastoreClient;

/** Creates and reads entities with numbers, as messages of the API. */
final class Rows {
    static final String PROJECT = "crash";

    private Rows() {}

    static Key key(String kind, String name) {
        return Key.newBuilder()
                .setPartitionId(PartitionId.newBuilder().setProjectId(PROJECT))
                .addPath(Key.PathElement.newBuilder().setKind(kind).setName(name))
                .build();
    }

    static Entity entity(Key key, Map<String, Long> numbers) {
        Entity.Builder entity = Entity.newBuilder().setKey(key);
        numbers.forEach(
                (name, number) ->
                        entity.putProperties(
                                name, Value.newBuilder().setIntegerValue(number).build()));
        return entity.build();
    }

    static Mutation upsert(Key key, Map<String, Long> numbers) {
        return Mutation.newBuilder().setUpsert(entity(key, numbers)).build();
    }

    static Mutation insert(Key key, Map<String, Long> numbers) {
        return Mutation.newBuilder().setInsert(entity(key, numbers)).build();
    }

    static Mutation delete(Key key) {
        return Mutation.newBuilder().setDelete(key).build();
    }

    static long number(Entity entity, String property) {
        return entity.getPropertiesOrThrow(property).getIntegerValue();
    }

    static String name(Entity entity) {
        return entity.getKey().getPath(0).getName();
    }

    /** The found entities by name. */
    static Map<String, Entity> lookup(DatastoreClient client, List<Key> keys) {
        Map<String, Entity> found = new HashMap<>();
        List<Key> wanted = keys;
        while (!wanted.isEmpty()) {
            LookupResponse answer =
                    client.lookup(
                            LookupRequest.newBuilder()
                                    .setProjectId(PROJECT)
                                    .addAllKeys(wanted)
                                    .build());
            answer.getFoundList().forEach(hit -> found.put(name(hit.getEntity()), hit.getEntity()));
            wanted = answer.getDeferredList();
        }
        return found;
    }

    /** All entities of a kind whose property has this value, by its index. */
    static List<Entity> query(DatastoreClient client, String kind, String property, long value) {
        return all(
                client,
                Query.newBuilder()
                        .addKind(KindExpression.newBuilder().setName(kind))
                        .setFilter(
                                Filter.newBuilder()
                                        .setPropertyFilter(
                                                PropertyFilter.newBuilder()
                                                        .setProperty(
                                                                PropertyReference.newBuilder()
                                                                        .setName(property))
                                                        .setOp(PropertyFilter.Operator.EQUAL)
                                                        .setValue(
                                                                Value.newBuilder()
                                                                        .setIntegerValue(value)))));
    }

    static List<Entity> query(DatastoreClient client, String kind) {
        return all(client, Query.newBuilder().addKind(KindExpression.newBuilder().setName(kind)));
    }

    private static List<Entity> all(DatastoreClient client, Query.Builder query) {
        List<Entity> entities = new ArrayList<>();
        while (true) {
            QueryResultBatch batch =
                    client.runQuery(
                                    RunQueryRequest.newBuilder()
                                            .setProjectId(PROJECT)
                                            .setQuery(query)
                                            .build())
                            .getBatch();
            batch.getEntityResultsList().forEach(result -> entities.add(result.getEntity()));
            if (batch.getMoreResults() != QueryResultBatch.MoreResultsType.NOT_FINISHED) {
                return entities;
            }
            query.setStartCursor(batch.getEndCursor());
        }
    }
}
