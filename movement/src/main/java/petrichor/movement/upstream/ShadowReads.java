package petrichor.movement.upstream;

import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.protobuf.Message;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import petrichor.base.PetrichorException;
import petrichor.entities.KeyText;

/**
 * Executes a share of the reads that the upstream answers also here, and compares the results. A
 * difference may come from a write a moment ago, so both sides are asked again after this server
 * has caught up. Reads that do not fit into the queue are skipped. Thread-safe; never blocks the
 * read itself.
 */
final class ShadowReads implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ShadowReads.class.getName());

    private static final int THREADS = 2;
    private static final int QUEUED_MAX = 100;
    private static final int ATTEMPTS_MAX = 4;
    private static final int LOGGED_CHARACTERS_MAX = 500;

    private final double share;
    private final UpstreamClient client;
    private final ThreadPoolExecutor workers;
    private final LongAdder equal = new LongAdder();
    private final LongAdder different = new LongAdder();
    private final LongAdder skipped = new LongAdder();

    ShadowReads(double share, UpstreamClient client) {
        this.share = share;
        this.client = client;
        this.workers =
                new ThreadPoolExecutor(
                        THREADS,
                        THREADS,
                        0,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(QUEUED_MAX),
                        Thread.ofPlatform().name("upstream-shadow-", 0).daemon().factory());
    }

    /** Results since the start of the process. */
    record Counts(long equal, long different, long skipped) {}

    Counts counts() {
        return new Counts(equal.sum(), different.sum(), skipped.sum());
    }

    void offer(UpstreamDatabase database, UpstreamCall call, byte[] response) {
        if (share == 0
                || !database.follows()
                || !isComparable(call)
                || ThreadLocalRandom.current().nextDouble() >= share) {
            return;
        }
        try {
            workers.execute(() -> compare(database, call, response));
        } catch (RejectedExecutionException full) {
            skipped.increment();
        }
    }

    /** Not within transactions, not at past times, and from the beginning. */
    private static boolean isComparable(UpstreamCall call) {
        boolean plain =
                switch (UpstreamMarks.readOptions(call.request()).getConsistencyTypeCase()) {
                    case READ_CONSISTENCY, CONSISTENCYTYPE_NOT_SET -> true;
                    case TRANSACTION, NEW_TRANSACTION, READ_TIME -> false;
                };
        return plain
                && !UpstreamMarks.continuesHere(call.request())
                && !UpstreamMarks.continuesUpstream(call.request())
                && switch (call.method()) {
                    case "Lookup", "RunQuery", "RunAggregationQuery" -> true;
                    case String _ -> false;
                };
    }

    private void compare(UpstreamDatabase database, UpstreamCall call, byte[] first) {
        byte[] theirs = first;
        String difference = "";
        try {
            for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
                database.catchUp();
                if (!database.follows()) {
                    skipped.increment();
                    return;
                }
                difference = difference(call, theirs, here(call));
                if (difference.isEmpty()) {
                    equal.increment();
                    return;
                }
                theirs =
                        client.call(
                                call.database(),
                                call.method(),
                                call.request().toByteArray(),
                                Duration.ofMinutes(1).toNanos());
            }
        } catch (PetrichorException failed) {
            difference = "here: " + failed.getMessage();
        } catch (RuntimeException stopping) {
            skipped.increment();
            return;
        }
        different.increment();
        LOG.log(
                System.Logger.Level.WARNING,
                "A {0} of {1} differs between the upstream and this server: {2}",
                call.method(),
                call.database(),
                difference.length() > LOGGED_CHARACTERS_MAX
                        ? difference.substring(0, LOGGED_CHARACTERS_MAX)
                        : difference);
    }

    private static byte[] here(UpstreamCall call) {
        return RoutedCalls.joined(call.here().apply(call.request()));
    }

    /** The first difference by its key; empty if there is none. */
    private static String difference(UpstreamCall call, byte[] theirs, byte[] ours) {
        return switch (call.method()) {
            case "Lookup" ->
                    difference(
                            UpstreamClient.parsed(theirs, LookupResponse.parser()),
                            UpstreamClient.parsed(ours, LookupResponse.parser()));
            case "RunQuery" ->
                    difference(
                            ((RunQueryRequest) call.request()).hasGqlQuery(),
                            UpstreamClient.parsed(theirs, RunQueryResponse.parser()),
                            UpstreamClient.parsed(ours, RunQueryResponse.parser()));
            case String _ ->
                    UpstreamClient.parsed(theirs, RunAggregationQueryResponse.parser())
                                    .getBatch()
                                    .getAggregationResultsList()
                                    .equals(
                                            UpstreamClient.parsed(
                                                            ours,
                                                            RunAggregationQueryResponse.parser())
                                                    .getBatch()
                                                    .getAggregationResultsList())
                            ? ""
                            : "an aggregate";
        };
    }

    private static String difference(LookupResponse theirs, LookupResponse ours) {
        Map<Message, Message> found = new HashMap<>();
        ours.getFoundList().forEach(one -> found.put(one.getEntity().getKey(), one.getEntity()));
        for (EntityResult one : theirs.getFoundList()) {
            if (!one.getEntity().equals(found.get(one.getEntity().getKey()))) {
                return text(one);
            }
        }
        for (EntityResult one : theirs.getMissingList()) {
            if (found.containsKey(one.getEntity().getKey())) {
                return text(one);
            }
        }
        return "";
    }

    /** Batches may end at different results. */
    private static String difference(boolean gql, RunQueryResponse theirs, RunQueryResponse ours) {
        List<EntityResult> left = theirs.getBatch().getEntityResultsList();
        List<EntityResult> right = ours.getBatch().getEntityResultsList();
        int shared = Math.min(left.size(), right.size());
        for (int i = 0; i < shared; i++) {
            if (!left.get(i).getEntity().equals(right.get(i).getEntity())) {
                return text(left.get(i));
            }
        }
        boolean ends = isWhole(theirs) && isWhole(ours);
        return ends && left.size() != right.size()
                ? (gql ? "a GQL query" : "a query")
                        + " has "
                        + left.size()
                        + " results at the upstream and "
                        + right.size()
                        + " here"
                : "";
    }

    private static boolean isWhole(RunQueryResponse response) {
        return switch (response.getBatch().getMoreResults()) {
            case NO_MORE_RESULTS, MORE_RESULTS_AFTER_LIMIT, MORE_RESULTS_AFTER_CURSOR -> true;
            case NOT_FINISHED, MORE_RESULTS_TYPE_UNSPECIFIED, UNRECOGNIZED -> false;
        };
    }

    private static String text(EntityResult result) {
        return KeyText.of(result.getEntity().getKey());
    }

    @Override
    public void close() {
        workers.shutdownNow();
    }
}
