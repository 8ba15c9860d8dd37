package petrichor.frontends.appengine.datastore;

import com.google.apphosting.base.protos.api.ApiBasePb.VoidProto;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.BeginTransactionRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CommitResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.DeleteRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.DeleteResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.NextRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.PutRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.PutResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.QueryResult;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Transaction;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Path;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Property;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.PropertyValue;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.random.RandomGenerator;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.databases.RowDatabases;

/** An app that calls the API, over its own store, with shorthands for tests. */
final class V3App implements AutoCloseable {
    static final String ID = "s~demo";
    static final String PROJECT = "demo";

    final Datastore datastore;
    final DatastoreV3 service;
    private final KeyValueStore store;
    private final RowDatabases databases;

    V3App() {
        this(TransactionalActions.NONE, MemoryBudget.unlimited(), TimeSource.SYSTEM);
    }

    V3App(TransactionalActions actions, MemoryBudget memory, TimeSource time) {
        this(MemoryStore.open(), actions, memory, time);
    }

    V3App(KeyValueStore store, TransactionalActions actions, MemoryBudget memory, TimeSource time) {
        this.store = store;
        this.databases = new RowDatabases(store);
        this.datastore = new Datastore(databases, time);
        this.service =
                new DatastoreV3(
                        () -> datastore,
                        actions,
                        new DatastoreV3.Resources(
                                TransactionLimits.DEFAULT,
                                memory,
                                MemoryBudget.unlimited(),
                                time,
                                chance()));
    }

    private static RandomGenerator chance() {
        return new Random(1);
    }

    RowDatabases rows() {
        return databases;
    }

    <T> T call(String method, MessageLite request, Parser<T> response) {
        return call(CallingApp.of(PROJECT), method, request, response);
    }

    /** Throws the failure itself, not the exception that wraps it in the future. */
    <T> T call(CallingApp app, String method, MessageLite request, Parser<T> response) {
        try {
            byte[] answer =
                    service.call(
                                    new ServiceCall(
                                            method,
                                            request.toByteArray(),
                                            app,
                                            Cancellation.never()))
                            .join();
            return response.parseFrom(answer);
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    PutResponse put(EntityProto... entities) {
        return call(
                "Put",
                PutRequest.newBuilder().addAllEntity(List.of(entities)).build(),
                PutResponse.parser());
    }

    PutResponse put(Transaction transaction, EntityProto... entities) {
        return call(
                "Put",
                PutRequest.newBuilder()
                        .addAllEntity(List.of(entities))
                        .setTransaction(transaction)
                        .build(),
                PutResponse.parser());
    }

    DeleteResponse delete(Reference... keys) {
        return call(
                "Delete",
                DeleteRequest.newBuilder().addAllKey(List.of(keys)).build(),
                DeleteResponse.parser());
    }

    DeleteResponse delete(Transaction transaction, Reference... keys) {
        return call(
                "Delete",
                DeleteRequest.newBuilder()
                        .addAllKey(List.of(keys))
                        .setTransaction(transaction)
                        .build(),
                DeleteResponse.parser());
    }

    GetResponse get(Reference... keys) {
        return call(
                "Get",
                GetRequest.newBuilder().addAllKey(List.of(keys)).build(),
                GetResponse.parser());
    }

    boolean exists(Reference key) {
        return get(key).getEntity(0).hasEntity();
    }

    /** An entity that exists. */
    EntityProto find(Reference key) {
        GetResponse.Entity found = get(key).getEntity(0);
        if (!found.hasEntity()) {
            throw new AssertionError("no entity: " + key);
        }
        return found.getEntity();
    }

    GetResponse get(Transaction transaction, Reference... keys) {
        return call(
                "Get",
                GetRequest.newBuilder()
                        .addAllKey(List.of(keys))
                        .setTransaction(transaction)
                        .build(),
                GetResponse.parser());
    }

    Transaction begin() {
        return begin(BeginTransactionRequest.TransactionMode.READ_WRITE);
    }

    Transaction begin(BeginTransactionRequest.TransactionMode mode) {
        return call(
                "BeginTransaction",
                BeginTransactionRequest.newBuilder().setApp(ID).setMode(mode).build(),
                Transaction.parser());
    }

    CommitResponse commit(Transaction transaction) {
        return call("Commit", transaction, CommitResponse.parser());
    }

    void rollback(Transaction transaction) {
        var _ = call("Rollback", transaction, VoidProto.parser());
    }

    QueryResult run(Query.Builder query) {
        return call("RunQuery", query.setApp(ID).build(), QueryResult.parser());
    }

    /** All batches. */
    List<QueryResult> runAll(Query.Builder query) {
        List<QueryResult> batches = new ArrayList<>();
        batches.add(run(query));
        while (batches.getLast().getMoreResults()) {
            batches.add(next(batches.getLast()));
        }
        return batches;
    }

    QueryResult next(QueryResult before) {
        return call(
                "Next",
                NextRequest.newBuilder().setCursor(before.getCursor()).build(),
                QueryResult.parser());
    }

    /** Ids or names of the keys of all results. */
    List<String> names(Query.Builder query) {
        return runAll(query).stream().flatMap(batch -> names(batch).stream()).toList();
    }

    static List<String> names(QueryResult batch) {
        return batch.getResultList().stream().map(V3App::name).toList();
    }

    private static String name(EntityProto entity) {
        Path path = entity.getKey().getPath();
        Path.Element last = path.getElement(path.getElementCount() - 1);
        return last.hasName() ? last.getName() : Long.toString(last.getId());
    }

    static Query.Builder query(String kind) {
        return Query.newBuilder().setKind(kind);
    }

    static Query.Filter filter(String property, Query.Filter.Operator operator, Object value) {
        return Query.Filter.newBuilder()
                .setOp(operator)
                .addProperty(property(property, value))
                .build();
    }

    static Query.Order order(String property, Query.Order.Direction direction) {
        return Query.Order.newBuilder().setProperty(property).setDirection(direction).build();
    }

    /**
     * @param path kinds and names or ids, alternating; an incomplete key ends with a kind
     */
    static Reference key(Object... path) {
        Reference.Builder key = Reference.newBuilder().setApp(ID);
        key.setPath(path(path));
        return key.build();
    }

    private static Path path(Object... parts) {
        Path.Builder path = Path.newBuilder();
        for (int i = 0; i < parts.length; i += 2) {
            Path.Element.Builder element = path.addElementBuilder().setType((String) parts[i]);
            if (i + 1 < parts.length) {
                switch (parts[i + 1]) {
                    case String name -> element.setName(name);
                    case Integer id -> element.setId(id);
                    case Long id -> element.setId(id);
                    case Object other -> throw new IllegalArgumentException("no id: " + other);
                }
            }
        }
        return path.build();
    }

    static EntityProto entity(Reference key, Object... namesAndValues) {
        EntityProto.Builder entity = EntityProto.newBuilder().setKey(key);
        Path.Element root = key.getPath().getElement(0);
        boolean complete = root.hasId() || root.hasName();
        entity.setEntityGroup(
                complete ? Path.newBuilder().addElement(root).build() : Path.getDefaultInstance());
        for (int i = 0; i < namesAndValues.length; i += 2) {
            entity.addProperty(property((String) namesAndValues[i], namesAndValues[i + 1]));
        }
        return entity.build();
    }

    static Property property(String name, Object value) {
        if (value instanceof Property given) {
            return given;
        }
        PropertyValue.Builder result = PropertyValue.newBuilder();
        switch (value) {
            case Integer number -> result.setInt64Value(number);
            case Long number -> result.setInt64Value(number);
            case Double number -> result.setDoubleValue(number);
            case Boolean truth -> result.setBooleanValue(truth);
            case String text -> result.setStringValue(text);
            case Reference key ->
                    result.setReferenceValue(
                            new KeyTranslator(new AppId(ID, PROJECT))
                                    .toV3Value(
                                            new KeyTranslator(new AppId(ID, PROJECT)).toV1(key)));
            case Object other -> throw new IllegalArgumentException("no value: " + other);
        }
        return Property.newBuilder().setName(name).setMultiple(false).setValue(result).build();
    }

    @Override
    public void close() {
        databases.close();
        store.close();
    }
}
