package petrichor.entities.query;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabases;
import petrichor.entities.EntityHit;
import petrichor.entities.QueryResult;
import petrichor.entities.ReadContexts.Concurrency;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** A datastore in memory, with queries in GQL and entities in text form. */
final class QueryBench implements AutoCloseable {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    final Datastore datastore = open(Queries.MissingIndexes.CREATE);

    Datastore open(Queries.MissingIndexes missing) {
        return new Datastore(
                new EntityDatabases(rows), Concurrency.OPTIMISTIC, missing, TimeSource.SYSTEM);
    }

    @Override
    public void close() {
        rows.close();
        store.close();
    }

    void numbers() throws Exception {
        for (int i = 0; i < 20; i++) {
            put(
                    "key { path { kind: 'A' id: "
                            + (i + 1)
                            + " } } properties { key: 'n' value { integer_value: "
                            + i
                            + " } } properties { key: 'half' value { integer_value: "
                            + i / 2
                            + " } }");
        }
    }

    static Value integer(long value) {
        return Value.newBuilder().setIntegerValue(value).build();
    }

    static CommitRequest commit(String entity) throws TextFormat.ParseException {
        Entity.Builder parsed = TextFormat.parse(entity, Entity.class).toBuilder();
        parsed.getKeyBuilder().getPartitionIdBuilder().setProjectId("demo");
        return CommitRequest.newBuilder()
                .setProjectId("demo")
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(Mutation.newBuilder().setUpsert(parsed))
                .build();
    }

    void put(String entity) throws TextFormat.ParseException {
        datastore.commit(commit(entity)).join();
    }

    static RunQueryRequest gql(String text) {
        return RunQueryRequest.newBuilder()
                .setProjectId("demo")
                .setGqlQuery(GqlQuery.newBuilder().setQueryString(text).setAllowLiterals(true))
                .build();
    }

    RunAggregationQueryResponse aggregate(String text) {
        return datastore.runAggregationQuery(aggregation(text));
    }

    static RunAggregationQueryRequest aggregation(String text) {
        return RunAggregationQueryRequest.newBuilder()
                .setProjectId("demo")
                .setGqlQuery(GqlQuery.newBuilder().setQueryString(text).setAllowLiterals(true))
                .build();
    }

    List<Entity> entities(RunQueryRequest request) throws Exception {
        return entities(datastore.runQuery(request));
    }

    static List<Entity> entities(QueryResult result) throws InvalidProtocolBufferException {
        List<Entity> entities = new ArrayList<>();
        for (EntityHit hit : result.hits()) {
            entities.add(Entity.parseFrom(hit.entity()));
        }
        return entities;
    }
}
