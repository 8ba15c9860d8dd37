package petrichor.movement.upstream;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.AllocateIdsResponse;
import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.RollbackRequest;
import com.google.datastore.v1.RollbackResponse;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryResponse;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;

/**
 * Answers calls for one database: while the upstream leads by forwarding them, otherwise here.
 * Transactions end where they began: after a switch they are ABORTED, and clients repeat them.
 * Queries continue where they began, at either side. Thread-safe; calls block virtual threads.
 */
final class RoutedCalls {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private final UpstreamDatabase database;
    private final DatabaseName name;
    private final UpstreamClient client;
    private final CallGate gate;
    private final UnfinishedTransactions transactions;

    /** Commits of the local database occupy their thread. */
    private final ExecutorService platform;

    RoutedCalls(UpstreamDatabase database, UpstreamClient client, ExecutorService platform) {
        this.database = database;
        this.name = database.local().name();
        this.client = client;
        this.gate = database.gate();
        this.transactions = database.transactions();
        this.platform = platform;
    }

    byte[] answer(UpstreamCall call) {
        CallGate.Kind kind = kind(call.request());
        if (kind == null) {
            return routed(call);
        }
        gate.enter(kind, call.cancellation());
        try {
            return routed(call);
        } finally {
            gate.leave();
        }
    }

    /** Null for calls that are never held. */
    private static CallGate.@Nullable Kind kind(Message request) {
        return switch (request) {
            case BeginTransactionRequest _ -> CallGate.Kind.BEGIN;
            case CommitRequest _, AllocateIdsRequest _, ReserveIdsRequest _ -> CallGate.Kind.WRITE;
            case Message other ->
                    UpstreamMarks.readOptions(other).hasNewTransaction()
                            ? CallGate.Kind.BEGIN
                            : null;
        };
    }

    private byte[] routed(UpstreamCall call) {
        UpstreamState state = database.state();
        Message request = call.request();
        ByteString transaction = UpstreamMarks.transaction(request);
        boolean upstream = state.phase().upstreamLeads();
        if (!transaction.isEmpty() && UpstreamMarks.marked(transaction) != upstream) {
            if (request instanceof RollbackRequest) {
                return RollbackResponse.getDefaultInstance().toByteArray();
            }
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    "The transaction began before the database was switched between the upstream"
                            + " and this server; begin it again.");
        }
        transactions.used(transaction);
        if (upstream) {
            // Before the first switch, a cursor without a mark was issued by the upstream itself.
            if (state.switched() == 0 || !UpstreamMarks.continuesHere(request)) {
                return forwarded(call, state);
            }
            if (state.phase() == UpstreamPhase.FORWARDING || state.phase() == UpstreamPhase.COPY) {
                throw PetrichorException.invalid(
                        "The cursor was issued by this server, whose copy was deleted; start the"
                                + " query from its beginning.");
            }
            return here(call, request);
        }
        if (UpstreamMarks.continuesUpstream(request)) {
            if (state.phase() == UpstreamPhase.COMPLETED) {
                throw PetrichorException.invalid(
                        "The cursor was issued by the upstream, which is not used any more; start"
                                + " the query from its beginning.");
            }
            return forwarded(call, state);
        }
        ReadOptions options = UpstreamMarks.readOptions(request);
        if (options.hasReadTime() && isBefore(options.getReadTime(), state)) {
            if (state.phase() == UpstreamPhase.COMPLETED) {
                throw readBeforeMove();
            }
            return forwarded(call, state);
        }
        TransactionOptions.ReadOnly begun =
                request instanceof BeginTransactionRequest begin
                        ? begin.getTransactionOptions().getReadOnly()
                        : options.getNewTransaction().getReadOnly();
        if (begun.hasReadTime() && isBefore(begun.getReadTime(), state)) {
            throw readBeforeMove();
        }
        return here(call, UpstreamMarks.local(request));
    }

    /** The history of that time is not here. */
    private static PetrichorException readBeforeMove() {
        return PetrichorException.invalid(
                "The read time is before the database was moved to this server; read at a later"
                        + " time.");
    }

    private static boolean isBefore(Timestamp time, UpstreamState state) {
        return micros(time) < state.switched();
    }

    private static long micros(Timestamp time) {
        return time.getSeconds() * MICROS_PER_SECOND + time.getNanos() / NANOS_PER_MICRO;
    }

    private byte[] here(UpstreamCall call, Message request) {
        byte[] response = joined(call.here().apply(request));
        switch (request) {
            case BeginTransactionRequest _ ->
                    transactions.used(
                            UpstreamClient.parsed(response, BeginTransactionResponse.parser())
                                    .getTransaction());
            case CommitRequest commit -> transactions.ended(commit.getTransaction());
            case RollbackRequest rollback -> transactions.ended(rollback.getTransaction());
            case Message _ -> {}
        }
        return response;
    }

    /** The result, or the failure of the work itself. */
    static <T> T joined(CompletableFuture<T> work) {
        try {
            return work.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    private byte[] forwarded(UpstreamCall call, UpstreamState state) {
        Message sent = UpstreamMarks.outgoing(call.request());
        return switch (sent) {
            case CommitRequest commit -> {
                byte[] response = committed(call, commit, state);
                transactions.ended(((CommitRequest) call.request()).getTransaction());
                yield response;
            }
            case RollbackRequest _ -> {
                transactions.ended(((RollbackRequest) call.request()).getTransaction());
                yield sent(call, sent);
            }
            case AllocateIdsRequest _ -> {
                byte[] response = sent(call, sent);
                reserve(
                        UpstreamClient.parsed(response, AllocateIdsResponse.parser())
                                .getKeysList());
                yield response;
            }
            case ReserveIdsRequest reserved -> {
                byte[] response = sent(call, sent);
                reserve(reserved.getKeysList());
                yield response;
            }
            case Message _ -> marked(call, sent(call, sent));
        };
    }

    private byte[] sent(UpstreamCall call, Message request) {
        call.cancellation().check();
        return client.call(
                name, call.method(), request.toByteArray(), call.cancellation().remainingNanos());
    }

    private byte[] marked(UpstreamCall call, byte[] response) {
        return switch (call.method()) {
            case "BeginTransaction" -> {
                BeginTransactionResponse begun =
                        UpstreamMarks.incoming(
                                UpstreamClient.parsed(response, BeginTransactionResponse.parser()));
                transactions.used(begun.getTransaction());
                yield begun.toByteArray();
            }
            case "RunQuery" -> {
                RunQueryResponse found =
                        UpstreamMarks.incoming(
                                UpstreamClient.parsed(response, RunQueryResponse.parser()));
                transactions.used(found.getTransaction());
                yield found.toByteArray();
            }
            case "Lookup" ->
                    begins(call)
                            ? begun(
                                    UpstreamClient.parsed(response, LookupResponse.parser()),
                                    UpstreamMarks::incoming,
                                    LookupResponse::getTransaction)
                            : response;
            case "RunAggregationQuery" ->
                    begins(call)
                            ? begun(
                                    UpstreamClient.parsed(
                                            response, RunAggregationQueryResponse.parser()),
                                    UpstreamMarks::incoming,
                                    RunAggregationQueryResponse::getTransaction)
                            : response;
            case String _ -> response;
        };
    }

    private static boolean begins(UpstreamCall call) {
        return UpstreamMarks.readOptions(call.request()).hasNewTransaction();
    }

    private <T extends Message> byte[] begun(
            T response, Function<T, T> marks, Function<T, ByteString> transaction) {
        T marked = marks.apply(response);
        transactions.used(transaction.apply(marked));
        return marked.toByteArray();
    }

    private byte[] committed(UpstreamCall call, CommitRequest request, UpstreamState state) {
        if (request.getMutationsCount() == 0 || !state.phase().captures()) {
            return sent(call, request);
        }
        ForwardedCommit commit = ForwardedCommit.of(request, database.local(), client);
        CapturedWrites captured = database.captured();
        long entry = joined(onPlatform(() -> captured.add(commit.keys())));
        byte[] response;
        try {
            response = sent(call, commit.request());
        } catch (PetrichorException failed) {
            if (isAnswer(failed)) {
                captured.settle(entry);
            } else {
                captured.lose(entry);
            }
            throw failed;
        } catch (RuntimeException failed) {
            captured.lose(entry);
            throw failed;
        }
        captured.settle(entry);
        database.wake();
        // A former owner of the database must not acknowledge what its successor may not copy.
        var _ = database.local().database();
        return commit.allocated().isEmpty()
                ? response
                : commit.answered(UpstreamClient.parsed(response, CommitResponse.parser()))
                        .toByteArray();
    }

    private <T> CompletableFuture<T> onPlatform(Supplier<T> work) {
        return CompletableFuture.supplyAsync(work, platform);
    }

    /** Whether the upstream has decided on the commit. */
    static boolean isAnswer(PetrichorException failed) {
        return switch (failed.code()) {
            case INVALID_ARGUMENT,
                    NOT_FOUND,
                    ALREADY_EXISTS,
                    FAILED_PRECONDITION,
                    ABORTED,
                    UNAUTHENTICATED,
                    PERMISSION_DENIED,
                    UNIMPLEMENTED ->
                    true;
            case RESOURCE_EXHAUSTED, UNAVAILABLE, DEADLINE_EXCEEDED, INTERNAL -> false;
        };
    }

    /** Ids of the upstream must not be allocated here after the switch. */
    private void reserve(List<Key> keys) {
        if (keys.isEmpty()) {
            return;
        }
        ReserveIdsRequest request =
                ReserveIdsRequest.newBuilder()
                        .setProjectId(name.project())
                        .setDatabaseId(name.database())
                        .addAllKeys(keys)
                        .build();
        var _ = joined(onPlatform(() -> database.datastore().reserveIds(request)));
    }
}
