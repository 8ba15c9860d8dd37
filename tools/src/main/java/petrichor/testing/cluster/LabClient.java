package petrichor.testing.cluster;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CompositeFilter;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Projection;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.datastore.v1.TransactionOptions;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import io.grpc.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatastoreClient;
import petrichor.testing.process.Pause;

/**
 * A client of one database that sends each call to a different server, even within a transaction.
 * Calls have a timeout and are never retried. Confined to one thread.
 */
final class LabClient {
    static final String PROJECT = "lab";

    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final TransactionOptions READ_WRITE =
            TransactionOptions.newBuilder()
                    .setReadWrite(TransactionOptions.ReadWrite.getDefaultInstance())
                    .build();

    private final List<DatastoreClient> servers;
    private final String database;
    private final ScheduledExecutorService alarm;
    private final SplittableRandom chance;
    private final Consumer<PetrichorException> failures;

    /**
     * @param alarm cancels calls that exceed the timeout
     * @param failures receives every failed call, including those explained by faults
     */
    LabClient(
            List<DatastoreClient> servers,
            String database,
            ScheduledExecutorService alarm,
            SplittableRandom chance,
            Consumer<PetrichorException> failures) {
        this.servers = servers;
        this.database = database;
        this.alarm = alarm;
        this.chance = chance;
        this.failures = failures;
    }

    /** Outcome of a commit. */
    enum Outcome {
        COMMITTED,
        ABORTED,
        /** The response did not reveal the outcome. */
        UNKNOWN
    }

    /** An open transaction, with its reads and pending writes. */
    final class Work {
        private final CommitRequest.Builder writes =
                CommitRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setDatabaseId(database)
                        .setMode(CommitRequest.Mode.TRANSACTIONAL);
        private ByteString transaction = ByteString.EMPTY;

        Map<String, Entity> lookup(List<Key> keys) {
            LookupRequest.Builder request =
                    LookupRequest.newBuilder()
                            .setProjectId(PROJECT)
                            .setDatabaseId(database)
                            .setReadOptions(options())
                            .addAllKeys(keys);
            LookupResponse answer = patiently(() -> any().lookup(request.build()));
            started(answer.getTransaction());
            return byName(answer.getFoundList());
        }

        /** All matching entities by name. */
        Map<String, Entity> query(Query query) {
            RunQueryRequest.Builder request =
                    RunQueryRequest.newBuilder()
                            .setProjectId(PROJECT)
                            .setDatabaseId(database)
                            .setPartitionId(partition())
                            .setReadOptions(options())
                            .setQuery(query);
            RunQueryResponse answer = patiently(() -> any().runQuery(request.build()));
            started(answer.getTransaction());
            return complete(answer);
        }

        private ReadOptions options() {
            return transaction.isEmpty()
                    ? ReadOptions.newBuilder().setNewTransaction(READ_WRITE).build()
                    : ReadOptions.newBuilder().setTransaction(transaction).build();
        }

        private void started(ByteString id) {
            if (transaction.isEmpty()) {
                transaction = id;
            }
        }

        void upsert(Key key, Map<String, Value> properties) {
            writes.addMutations(
                    Mutation.newBuilder()
                            .setUpsert(
                                    Entity.newBuilder().setKey(key).putAllProperties(properties)));
        }

        void delete(Key key) {
            writes.addMutations(Mutation.newBuilder().setDelete(key));
        }

        Outcome commit() {
            writes.setTransaction(transaction);
            try {
                patiently(() -> any().commit(writes.build()));
                return Outcome.COMMITTED;
            } catch (PetrichorException failed) {
                return switch (failed.code()) {
                    case ABORTED, INVALID_ARGUMENT, FAILED_PRECONDITION -> Outcome.ABORTED;
                    case NOT_FOUND,
                            ALREADY_EXISTS,
                            RESOURCE_EXHAUSTED,
                            UNAUTHENTICATED,
                            PERMISSION_DENIED,
                            UNAVAILABLE,
                            DEADLINE_EXCEEDED,
                            UNIMPLEMENTED,
                            INTERNAL ->
                            Outcome.UNKNOWN;
                };
            }
        }
    }

    Work begin() {
        return new Work();
    }

    /** Reads at one snapshot, outside of a transaction. */
    Map<String, Entity> lookup(List<Key> keys) {
        LookupRequest request =
                LookupRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setDatabaseId(database)
                        .addAllKeys(keys)
                        .build();
        return byName(patiently(() -> any().lookup(request)).getFoundList());
    }

    Map<String, Entity> query(Query query) {
        RunQueryRequest request =
                RunQueryRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setDatabaseId(database)
                        .setPartitionId(partition())
                        .setQuery(query)
                        .build();
        return complete(patiently(() -> any().runQuery(request)));
    }

    /** The names of all entities of a kind; each batch is read at a snapshot of its own. */
    Set<String> names(String kind) {
        Set<String> names = new TreeSet<>();
        Query.Builder query =
                everyOf(kind).toBuilder()
                        .addProjection(
                                Projection.newBuilder()
                                        .setProperty(
                                                PropertyReference.newBuilder().setName("__key__")));
        QueryResultBatch batch;
        do {
            RunQueryRequest request =
                    RunQueryRequest.newBuilder()
                            .setProjectId(PROJECT)
                            .setDatabaseId(database)
                            .setPartitionId(partition())
                            .setQuery(query)
                            .build();
            batch = patiently(() -> any().runQuery(request)).getBatch();
            names.addAll(byName(batch.getEntityResultsList()).keySet());
            query.setStartCursor(batch.getEndCursor());
        } while (batch.getMoreResults() == QueryResultBatch.MoreResultsType.NOT_FINISHED);
        return names;
    }

    /** Retries a checker's read until it succeeds; false if it did not succeed within the bound. */
    boolean insist(Duration bound, Callable<Boolean> attempt) {
        long started = System.nanoTime();
        while (System.nanoTime() - started < bound.toNanos()) {
            try {
                if (attempt.call()) {
                    return true;
                }
            } catch (PetrichorException failed) {
                if (!explainedByFaults(failed)) {
                    throw failed;
                }
                Pause.briefly();
            } catch (Exception unforeseen) {
                throw new IllegalStateException(unforeseen);
            }
        }
        return false;
    }

    /** Other failures are bugs of the laboratory or violated guarantees, and must be reported. */
    static boolean explainedByFaults(PetrichorException failed) {
        return switch (failed.code()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, ABORTED, RESOURCE_EXHAUSTED -> true;
            // A transaction that was ended by a fail-over is unknown afterwards.
            case INVALID_ARGUMENT -> true;
            case NOT_FOUND,
                    ALREADY_EXISTS,
                    FAILED_PRECONDITION,
                    UNAUTHENTICATED,
                    PERMISSION_DENIED,
                    UNIMPLEMENTED,
                    INTERNAL ->
                    false;
        };
    }

    private DatastoreClient any() {
        return servers.get(chance.nextInt(servers.size()));
    }

    private static <T> T patiently(ScheduledExecutorService alarm, Callable<T> call) {
        try (Context.CancellableContext limited =
                Context.current()
                        .withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS, alarm)) {
            return limited.call(call);
        } catch (PetrichorException failed) {
            throw failed;
        } catch (Exception unforeseen) {
            throw new PetrichorException(
                    ErrorCode.INTERNAL, "the laboratory's client failed", Map.of(), unforeseen);
        }
    }

    private <T> T patiently(Callable<T> call) {
        try {
            return patiently(alarm, call);
        } catch (PetrichorException failed) {
            failures.accept(failed);
            throw failed;
        }
    }

    private static Map<String, Entity> complete(RunQueryResponse answer) {
        if (answer.getBatch().getMoreResults() == QueryResultBatch.MoreResultsType.NOT_FINISHED) {
            throw new IllegalStateException("the laboratory's queries fit into one batch");
        }
        return byName(answer.getBatch().getEntityResultsList());
    }

    private static Map<String, Entity> byName(List<EntityResult> results) {
        Map<String, Entity> found = new TreeMap<>();
        for (EntityResult result : results) {
            Entity entity = result.getEntity();
            found.put(entity.getKey().getPath(0).getName(), entity);
        }
        return found;
    }

    // ---- messages

    private PartitionId partition() {
        return PartitionId.newBuilder().setProjectId(PROJECT).setDatabaseId(database).build();
    }

    Key key(String kind, String name) {
        return Key.newBuilder()
                .setPartitionId(partition())
                .addPath(Key.PathElement.newBuilder().setKind(kind).setName(name))
                .build();
    }

    List<Key> keys(String kind, List<String> names) {
        List<Key> keys = new ArrayList<>();
        names.forEach(name -> keys.add(key(kind, name)));
        return keys;
    }

    static Query everyOf(String kind) {
        return Query.newBuilder().addKind(KindExpression.newBuilder().setName(kind)).build();
    }

    static Query equal(String kind, String property, long value) {
        return everyOf(kind).toBuilder()
                .setFilter(comparison(property, PropertyFilter.Operator.EQUAL, value))
                .build();
    }

    /** Ordered by the property, from {@code from} (inclusive) to {@code to} (exclusive). */
    static Query between(String kind, String property, long from, long to) {
        return everyOf(kind).toBuilder()
                .setFilter(
                        Filter.newBuilder()
                                .setCompositeFilter(
                                        CompositeFilter.newBuilder()
                                                .setOp(CompositeFilter.Operator.AND)
                                                .addFilters(
                                                        comparison(
                                                                property,
                                                                PropertyFilter.Operator
                                                                        .GREATER_THAN_OR_EQUAL,
                                                                from))
                                                .addFilters(
                                                        comparison(
                                                                property,
                                                                PropertyFilter.Operator.LESS_THAN,
                                                                to))))
                .addOrder(
                        PropertyOrder.newBuilder()
                                .setProperty(PropertyReference.newBuilder().setName(property)))
                .build();
    }

    private static Filter comparison(
            String property, PropertyFilter.Operator operator, long value) {
        return Filter.newBuilder()
                .setPropertyFilter(
                        PropertyFilter.newBuilder()
                                .setProperty(PropertyReference.newBuilder().setName(property))
                                .setOp(operator)
                                .setValue(number(value)))
                .build();
    }

    static Value number(long value) {
        return Value.newBuilder().setIntegerValue(value).build();
    }

    static long number(Entity entity, String property) {
        return entity.getPropertiesOrThrow(property).getIntegerValue();
    }
}
