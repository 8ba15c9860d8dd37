package petrichor.testing.crash;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.TransactionOptions;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import io.grpc.Context;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatastoreClient;
import petrichor.testing.simulation.Attempt.Append;
import petrichor.testing.simulation.Attempt.Operation;
import petrichor.testing.simulation.Attempt.Outcome;
import petrichor.testing.simulation.Attempt.Read;
import petrichor.testing.simulation.Attempt.Scan;

/**
 * A client whose transactions read lists and append to them, and which records its observations for
 * the history checker. Calls have a timeout.
 */
final class ListClient {
    private static final int LISTS = 6;
    private static final String KIND = "List";
    private static final String ELEMENTS = "elements";
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    private static final TransactionOptions READ_WRITE =
            TransactionOptions.newBuilder()
                    .setReadWrite(TransactionOptions.ReadWrite.getDefaultInstance())
                    .build();

    private final DatastoreClient server;
    private final ListHistory history;
    private final ScheduledExecutorService alarm;
    private final SplittableRandom chance;

    /**
     * @param alarm cancels calls that exceed the timeout
     */
    ListClient(
            DatastoreClient server,
            ListHistory history,
            ScheduledExecutorService alarm,
            SplittableRandom chance) {
        this.server = server;
        this.history = history;
        this.alarm = alarm;
        this.chance = chance;
    }

    void runUntilOver() {
        while (!history.over()) {
            if (chance.nextInt(5) == 0) {
                readEverything();
            } else {
                readAndAppend();
            }
        }
    }

    /** Runs one query outside a transaction, which sees what was committed before it started. */
    void readEverything() {
        long invoked = history.tick();
        List<Operation> operations = new ArrayList<>();
        Outcome outcome = Outcome.COMMITTED;
        try {
            patiently(() -> operations.add(query(ReadOptions.getDefaultInstance())));
        } catch (PetrichorException failed) {
            outcome = Outcome.ABORTED;
            history.failed(failed);
        }
        history.add(invoked, outcome, operations);
    }

    private void readAndAppend() {
        long invoked = history.tick();
        List<Operation> operations = new ArrayList<>();
        CommitRequest.Builder request =
                CommitRequest.newBuilder()
                        .setProjectId(Rows.PROJECT)
                        .setMode(CommitRequest.Mode.TRANSACTIONAL);
        try {
            patiently(() -> request.setTransaction(prepare(request, operations)));
        } catch (PetrichorException failed) {
            history.failed(failed);
            history.add(invoked, Outcome.ABORTED, operations);
            return;
        }
        Outcome outcome = Outcome.COMMITTED;
        try {
            patiently(() -> server.commit(request.build()));
        } catch (PetrichorException failed) {
            history.failed(failed);
            outcome = failed.code() == ErrorCode.ABORTED ? Outcome.ABORTED : Outcome.UNKNOWN;
        }
        history.add(invoked, outcome, operations);
    }

    /** Reads in a new transaction, and adds the writes to the request. */
    private ByteString prepare(CommitRequest.Builder request, List<Operation> operations) {
        int appended = chance.nextInt(LISTS);
        int looked = (appended + 1 + chance.nextInt(LISTS - 1)) % LISTS;
        LookupResponse answer =
                server.lookup(
                        LookupRequest.newBuilder()
                                .setProjectId(Rows.PROJECT)
                                .setReadOptions(
                                        ReadOptions.newBuilder().setNewTransaction(READ_WRITE))
                                .addKeys(key(appended))
                                .addKeys(key(looked))
                                .build());
        TreeMap<String, List<Long>> found = new TreeMap<>();
        for (EntityResult result : answer.getFoundList()) {
            found.put(Rows.name(result.getEntity()), elements(result.getEntity()));
        }
        boolean both = chance.nextInt(3) == 0;
        for (int list : new int[] {appended, looked}) {
            List<Long> elements = found.getOrDefault(name(list), List.of());
            operations.add(new Read(name(list), elements));
            if (list == appended || both) {
                long element = history.nextElement();
                operations.add(new Append(name(list), element));
                request.addMutations(append(list, elements, element));
            }
        }
        if (chance.nextInt(4) == 0) {
            operations.add(
                    query(
                            ReadOptions.newBuilder()
                                    .setTransaction(answer.getTransaction())
                                    .build()));
        }
        return answer.getTransaction();
    }

    private Scan query(ReadOptions options) {
        TreeMap<String, List<Long>> lists = new TreeMap<>();
        server.runQuery(
                        RunQueryRequest.newBuilder()
                                .setProjectId(Rows.PROJECT)
                                .setReadOptions(options)
                                .setQuery(
                                        Query.newBuilder()
                                                .addKind(KindExpression.newBuilder().setName(KIND)))
                                .build())
                .getBatch()
                .getEntityResultsList()
                .forEach(
                        result ->
                                lists.put(
                                        Rows.name(result.getEntity()),
                                        elements(result.getEntity())));
        return new Scan(name(0), name(LISTS), lists);
    }

    private void patiently(Runnable call) {
        try (Context.CancellableContext limited =
                Context.current()
                        .withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS, alarm)) {
            limited.run(call);
        }
    }

    private static Mutation append(int list, List<Long> elements, long element) {
        Value.Builder values = Value.newBuilder();
        elements.forEach(one -> values.getArrayValueBuilder().addValues(number(one)));
        values.getArrayValueBuilder().addValues(number(element));
        return Mutation.newBuilder()
                .setUpsert(
                        Entity.newBuilder()
                                .setKey(key(list))
                                .putProperties(ELEMENTS, values.build()))
                .build();
    }

    private static Value number(long element) {
        return Value.newBuilder().setIntegerValue(element).setExcludeFromIndexes(true).build();
    }

    private static List<Long> elements(Entity list) {
        return list.getPropertiesOrThrow(ELEMENTS).getArrayValue().getValuesList().stream()
                .map(Value::getIntegerValue)
                .toList();
    }

    private static Key key(int list) {
        return Rows.key(KIND, name(list));
    }

    private static String name(int list) {
        return "list-" + list;
    }
}
