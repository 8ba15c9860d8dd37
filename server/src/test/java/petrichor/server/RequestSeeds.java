package petrichor.server;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.AllocateIdsResponse;
import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.ReserveIdsResponse;
import com.google.datastore.v1.RollbackRequest;
import com.google.datastore.v1.RollbackResponse;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.datastore.v1.TransactionOptions;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Message;
import com.google.protobuf.NullValue;
import com.google.type.LatLng;
import java.util.List;

/** One valid request with many fields for each method, as seeds of a fuzzer. */
final class RequestSeeds {
    static final String PROJECT = "fuzz";

    private RequestSeeds() {}

    /**
     * @param method full gRPC name
     * @param response default instance of the response's type
     */
    record Seed(String method, Message request, Message response) {
        String verb() {
            return Character.toLowerCase(method.charAt(0)) + method.substring(1);
        }
    }

    static List<Seed> all() {
        return List.of(
                new Seed("Lookup", lookup(), LookupResponse.getDefaultInstance()),
                new Seed("RunQuery", query(), RunQueryResponse.getDefaultInstance()),
                new Seed("RunQuery", gql(), RunQueryResponse.getDefaultInstance()),
                new Seed(
                        "RunAggregationQuery",
                        aggregation(),
                        RunAggregationQueryResponse.getDefaultInstance()),
                new Seed(
                        "BeginTransaction", begin(), BeginTransactionResponse.getDefaultInstance()),
                new Seed("Commit", commit(), CommitResponse.getDefaultInstance()),
                new Seed(
                        "Rollback",
                        RollbackRequest.newBuilder()
                                .setProjectId(PROJECT)
                                .setTransaction(ByteString.copyFromUtf8("transaction"))
                                .build(),
                        RollbackResponse.getDefaultInstance()),
                new Seed(
                        "AllocateIds",
                        AllocateIdsRequest.newBuilder()
                                .setProjectId(PROJECT)
                                .addKeys(Key.newBuilder().addPath(path("Kind")))
                                .build(),
                        AllocateIdsResponse.getDefaultInstance()),
                new Seed(
                        "ReserveIds",
                        ReserveIdsRequest.newBuilder().setProjectId(PROJECT).addKeys(key()).build(),
                        ReserveIdsResponse.getDefaultInstance()));
    }

    private static Key key() {
        return Key.newBuilder()
                .addPath(path("Parent").setName("name"))
                .addPath(path("Kind").setId(7))
                .build();
    }

    private static Key.PathElement.Builder path(String kind) {
        return Key.PathElement.newBuilder().setKind(kind);
    }

    private static Message lookup() {
        return LookupRequest.newBuilder()
                .setProjectId(PROJECT)
                .setReadOptions(
                        ReadOptions.newBuilder()
                                .setReadConsistency(ReadOptions.ReadConsistency.STRONG))
                .addKeys(key())
                .addKeys(Key.newBuilder().addPath(path("Kind").setName("other")))
                .build();
    }

    private static Message query() {
        Filter bound =
                Filter.newBuilder()
                        .setPropertyFilter(
                                PropertyFilter.newBuilder()
                                        .setProperty(property("number"))
                                        .setOp(PropertyFilter.Operator.GREATER_THAN)
                                        .setValue(Value.newBuilder().setIntegerValue(3)))
                        .build();
        Filter ancestor =
                Filter.newBuilder()
                        .setPropertyFilter(
                                PropertyFilter.newBuilder()
                                        .setProperty(property("__key__"))
                                        .setOp(PropertyFilter.Operator.HAS_ANCESTOR)
                                        .setValue(Value.newBuilder().setKeyValue(key())))
                        .build();
        return RunQueryRequest.newBuilder()
                .setProjectId(PROJECT)
                .setQuery(
                        Query.newBuilder()
                                .addKind(KindExpression.newBuilder().setName("Kind"))
                                .setFilter(
                                        Filter.newBuilder()
                                                .setCompositeFilter(
                                                        CompositeFilter.newBuilder()
                                                                .setOp(CompositeFilter.Operator.AND)
                                                                .addFilters(bound)
                                                                .addFilters(ancestor)))
                                .addOrder(
                                        PropertyOrder.newBuilder()
                                                .setProperty(property("number"))
                                                .setDirection(PropertyOrder.Direction.DESCENDING))
                                .setOffset(1)
                                .setLimit(Int32Value.of(5)))
                .build();
    }

    private static PropertyReference property(String name) {
        return PropertyReference.newBuilder().setName(name).build();
    }

    private static Message gql() {
        return RunQueryRequest.newBuilder()
                .setProjectId(PROJECT)
                .setGqlQuery(
                        GqlQuery.newBuilder()
                                .setQueryString("SELECT * FROM Kind WHERE number > 3 LIMIT 5")
                                .setAllowLiterals(true))
                .build();
    }

    private static Message aggregation() {
        return RunAggregationQueryRequest.newBuilder()
                .setProjectId(PROJECT)
                .setAggregationQuery(
                        AggregationQuery.newBuilder()
                                .setNestedQuery(
                                        Query.newBuilder()
                                                .addKind(
                                                        KindExpression.newBuilder()
                                                                .setName("Kind")))
                                .addAggregations(
                                        AggregationQuery.Aggregation.newBuilder()
                                                .setAlias("all")
                                                .setCount(
                                                        AggregationQuery.Aggregation.Count
                                                                .getDefaultInstance())))
                .build();
    }

    private static Message begin() {
        return BeginTransactionRequest.newBuilder()
                .setProjectId(PROJECT)
                .setTransactionOptions(
                        TransactionOptions.newBuilder()
                                .setReadWrite(TransactionOptions.ReadWrite.getDefaultInstance()))
                .build();
    }

    private static Message commit() {
        Entity entity =
                Entity.newBuilder()
                        .setKey(key())
                        .putProperties("number", Value.newBuilder().setIntegerValue(42).build())
                        .putProperties("real", Value.newBuilder().setDoubleValue(1.5).build())
                        .putProperties("text", Value.newBuilder().setStringValue("text").build())
                        .putProperties(
                                "nothing",
                                Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build())
                        .putProperties(
                                "place",
                                Value.newBuilder()
                                        .setGeoPointValue(LatLng.newBuilder().setLatitude(51))
                                        .build())
                        .putProperties(
                                "many",
                                Value.newBuilder()
                                        .setArrayValue(
                                                ArrayValue.newBuilder()
                                                        .addValues(
                                                                Value.newBuilder()
                                                                        .setBooleanValue(true))
                                                        .addValues(
                                                                Value.newBuilder()
                                                                        .setKeyValue(key())))
                                        .build())
                        .build();
        return CommitRequest.newBuilder()
                .setProjectId(PROJECT)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                .addMutations(Mutation.newBuilder().setUpsert(entity))
                .build();
    }
}
