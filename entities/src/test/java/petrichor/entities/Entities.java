package petrichor.entities;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.query.Queries;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.TransactionMemory;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

/** A datastore of project "p" over a store, with shorthands for tests. */
final class Entities implements AutoCloseable {
    static final String PROJECT = "p";

    final Datastore datastore;
    private final KeyValueStore store;
    private final RowDatabases databases;

    Entities() {
        this(MemoryStore.open());
    }

    Entities(KeyValueStore store) {
        this(store, ReadContexts.Concurrency.OPTIMISTIC);
    }

    Entities(KeyValueStore store, ReadContexts.Concurrency concurrency) {
        this(RoutedStores.of(store), concurrency);
    }

    /** With its own memory budget, divided as a server does. */
    Entities(MemoryBudget process) {
        this(
                RoutedStores.of(MemoryStore.open()),
                ReadContexts.Concurrency.OPTIMISTIC,
                stores ->
                        new RowDatabases(
                                stores, TransactionLimits.DEFAULT, TransactionMemory.of(process)));
    }

    /** Closes only the home store. */
    Entities(RoutedStores stores, ReadContexts.Concurrency concurrency) {
        this(stores, concurrency, RowDatabases::new);
    }

    private Entities(
            RoutedStores stores,
            ReadContexts.Concurrency concurrency,
            Function<RoutedStores, RowDatabases> open) {
        this.store = stores.home();
        this.databases = open.apply(stores);
        this.datastore =
                new Datastore(
                        new EntityDatabases(databases),
                        concurrency,
                        Queries.MissingIndexes.CREATE,
                        TimeSource.SYSTEM);
    }

    RowDatabases rows() {
        return databases;
    }

    EntityDatabase database() {
        return datastore.databases().open(PROJECT, "");
    }

    /** The same database as opened by a server that declares these indexes. */
    EntityDatabase openWith(List<IndexDefinition> declared) {
        return new EntityDatabases(databases, declared).open(PROJECT, "");
    }

    CommitResponse commit(Mutation... mutations) {
        return commit(
                CommitRequest.newBuilder()
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                        .addAllMutations(Arrays.asList(mutations)));
    }

    /** Throws the failure itself, not the exception that wraps it in the future. */
    CommitResponse commit(CommitRequest.Builder request) {
        try {
            return datastore.commit(request.setProjectId(PROJECT).build()).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof PetrichorException failure ? failure : e;
        }
    }

    CommitResponse put(Entity entity) {
        return commit(upsert(entity));
    }

    @Nullable Entity find(Key key) {
        LookupResult result = lookup(key);
        return result.found().isEmpty() ? null : parse(result.found().getFirst());
    }

    LookupResult lookup(Key key) {
        return datastore.lookup(
                LookupRequest.newBuilder().setProjectId(PROJECT).addKeys(key).build());
    }

    static Entity parse(EntityHit hit) {
        try {
            return Entity.parseFrom(hit.entity());
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    static Key key(String kind, String name) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId(PROJECT);
        return key.addPath(Key.PathElement.newBuilder().setKind(kind).setName(name)).build();
    }

    static Key incomplete(String kind) {
        Key.Builder key = Key.newBuilder();
        key.getPartitionIdBuilder().setProjectId(PROJECT);
        return key.addPath(Key.PathElement.newBuilder().setKind(kind)).build();
    }

    static Entity entity(Key key, Object... namesAndValues) {
        Entity.Builder entity = Entity.newBuilder().setKey(key);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            entity.putProperties((String) namesAndValues[i], value(namesAndValues[i + 1]));
        }
        return entity.build();
    }

    static Value value(Object plain) {
        Value.Builder value = Value.newBuilder();
        return switch (plain) {
            case Value whole -> whole;
            case Integer number -> value.setIntegerValue(number).build();
            case Long number -> value.setIntegerValue(number).build();
            case Double number -> value.setDoubleValue(number).build();
            case String text -> value.setStringValue(text).build();
            case Boolean truth -> value.setBooleanValue(truth).build();
            case Entity inner -> value.setEntityValue(inner).build();
            case Object[] elements -> {
                for (Object element : elements) {
                    value.getArrayValueBuilder().addValues(value(element));
                }
                yield value.setArrayValue(value.getArrayValueBuilder()).build();
            }
            case Object other -> throw new IllegalArgumentException("no value: " + other);
        };
    }

    static Mutation insert(Entity entity) {
        return Mutation.newBuilder().setInsert(entity).build();
    }

    static Mutation update(Entity entity) {
        return Mutation.newBuilder().setUpdate(entity).build();
    }

    static Mutation upsert(Entity entity) {
        return Mutation.newBuilder().setUpsert(entity).build();
    }

    static Mutation delete(Key key) {
        return Mutation.newBuilder().setDelete(key).build();
    }

    @Override
    public void close() {
        databases.close();
        store.close();
    }
}
