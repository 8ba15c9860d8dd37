package petrichor.movement.upstream;

import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Projection;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.client.DatabaseName;
import petrichor.entities.RowLayout;
import petrichor.entities.StoredEntities;

/** Reads entities of a database at the upstream, always their newest state. Stateless; blocks. */
final class UpstreamEntities {
    private static final int PAGE_ENTITIES = 300;
    private static final int LOOKUP_KEYS_MAX = 500;

    /** Google writes statistics itself, and lists them in queries without a kind. */
    private static final String STATISTICS = "__Stat_";

    private final UpstreamClient client;
    private final LocalCopy local;

    UpstreamEntities(UpstreamClient client, LocalCopy local) {
        this.client = client;
        this.local = local;
    }

    /**
     * A part of a namespace in the order of keys.
     *
     * @param last whether none follow
     */
    record Page(List<EntityResult> results, boolean last) {}

    /** In order. INVALID_ARGUMENT if the upstream cannot list them. */
    Set<String> namespaces() {
        Set<String> found = new TreeSet<>();
        ByteString cursor = ByteString.EMPTY;
        boolean more = true;
        while (more) {
            Query query =
                    Query.newBuilder()
                            .addKind(KindExpression.newBuilder().setName("__namespace__"))
                            .addProjection(Projection.newBuilder().setProperty(key()))
                            .setStartCursor(cursor)
                            .build();
            QueryResultBatch batch = batch("", query);
            for (EntityResult result : batch.getEntityResultsList()) {
                // The default namespace has the id 1 instead of a name.
                found.add(result.getEntity().getKey().getPath(0).getName());
            }
            more =
                    batch.getMoreResults() == MoreResultsType.NOT_FINISHED
                            && !batch.getEndCursor().equals(cursor);
            cursor = batch.getEndCursor();
        }
        return found;
    }

    /**
     * @param after the last key of the former page; null for the first one
     */
    Page page(String namespace, @Nullable Key after) {
        Query.Builder query =
                Query.newBuilder()
                        .addOrder(PropertyOrder.newBuilder().setProperty(key()))
                        .setLimit(Int32Value.of(PAGE_ENTITIES));
        if (after != null) {
            query.setFilter(
                    Filter.newBuilder()
                            .setPropertyFilter(
                                    PropertyFilter.newBuilder()
                                            .setProperty(key())
                                            .setOp(PropertyFilter.Operator.GREATER_THAN)
                                            .setValue(Value.newBuilder().setKeyValue(after))));
        }
        QueryResultBatch batch = batch(namespace, query.build());
        while (batch.getEntityResultsCount() == 0
                && batch.getMoreResults() == MoreResultsType.NOT_FINISHED) {
            batch = batch(namespace, query.setStartCursor(batch.getEndCursor()).build());
        }
        boolean last =
                batch.getEntityResultsCount() == 0
                        || batch.getMoreResults() == MoreResultsType.NO_MORE_RESULTS;
        return new Page(batch.getEntityResultsList(), last);
    }

    static boolean moves(Key key) {
        return !key.getPath(key.getPathCount() - 1).getKind().startsWith(STATISTICS);
    }

    private QueryResultBatch batch(String namespace, Query query) {
        DatabaseName name = local.name();
        return client.runQuery(
                        name,
                        RunQueryRequest.newBuilder()
                                .setProjectId(name.project())
                                .setDatabaseId(name.database())
                                .setPartitionId(name.partition(namespace))
                                .setQuery(query)
                                .build())
                .getBatch();
    }

    private static PropertyReference key() {
        return PropertyReference.newBuilder().setName("__key__").build();
    }

    /** The present states of entities, also of those that do not exist. */
    List<StoredEntities.State> states(List<Key> keys) {
        List<StoredEntities.State> states = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += LOOKUP_KEYS_MAX) {
            lookup(keys.subList(from, Math.min(keys.size(), from + LOOKUP_KEYS_MAX)), states);
        }
        return states;
    }

    private void lookup(List<Key> keys, List<StoredEntities.State> to) {
        DatabaseName name = local.name();
        List<Key> left = keys;
        while (!left.isEmpty()) {
            LookupResponse response =
                    client.lookup(
                            name,
                            LookupRequest.newBuilder()
                                    .setProjectId(name.project())
                                    .setDatabaseId(name.database())
                                    .addAllKeys(left)
                                    .build());
            response.getFoundList().forEach(result -> to.add(local.stored(result)));
            response.getMissingList()
                    .forEach(result -> to.add(local.deleted(result.getEntity().getKey())));
            left = response.getDeferredList();
        }
    }

    Key key(byte[] row) {
        return RowLayout.entityKey(local.name().project(), local.name().database(), row);
    }
}
