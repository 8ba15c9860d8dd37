package petrichor.entities;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.MutationResult;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.transactions.CommitResult;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.Transaction;
import petrichor.transactions.TransactionId;
import petrichor.transactions.TransactionOptions;

/**
 * Commits mutations. A commit in a client's transaction fails with ABORTED when it conflicts. All
 * others are <em>blind</em>: the client has read nothing, so they are retried here until they
 * succeed, and queue per entity. No attempt starts after the client has disconnected or its
 * deadline has passed.
 *
 * <p>The mutations of a non-transactional commit are applied together if nothing conflicts, which
 * is cheapest, and otherwise one by one ({@link SeparateCommits}). The same holds for mutations of
 * a transaction in namespaces without transactions: they are applied first, and stay if the
 * transaction fails. Thread-safe.
 *
 * <p>Rows of other services may accompany the commit of a transaction: they are written in the same
 * commit as its entities, or not at all.
 */
final class Commits {
    /**
     * A blind write can only conflict with transactions and with an index build, and each conflict
     * means that one of them made progress. A lock wait that timed out is not a conflict and is not
     * retried.
     */
    private static final int ATTEMPTS_MAX = 100;

    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("commit-retry").start(task);

    private static final CompletableFuture<Boolean> NOW = CompletableFuture.completedFuture(true);

    /** By database name. */
    private final ConcurrentMap<String, KeyQueues> queues = new ConcurrentHashMap<>();

    private final TimeSource time;

    Commits(TimeSource time) {
        this.time = time;
    }

    /**
     * @param accompanying rows outside the entity layer, only in a client's transaction
     */
    CompletableFuture<CommitResponse> commit(
            EntityDatabase database, CommitRequest request, List<RowWrite> accompanying) {
        if (!accompanying.isEmpty() && !request.hasTransaction()) {
            throw PetrichorException.invalid(
                    "Only the commit of a transaction can write rows besides its entities.");
        }
        return switch (request.getMode()) {
            case MODE_UNSPECIFIED, TRANSACTIONAL -> transactional(database, request, accompanying);
            case NON_TRANSACTIONAL -> {
                if (request.hasTransaction() || request.hasSingleUseTransaction()) {
                    throw PetrichorException.invalid(
                            "A non-transactional commit must not name a transaction.");
                }
                yield separately(database, RequestedMutation.of(database, request), false);
            }
            case UNRECOGNIZED ->
                    throw PetrichorException.invalid("The mode of the commit is unknown.");
        };
    }

    /** Applies mutations of the platform, which may write reserved keys. */
    CompletableFuture<CommitResponse> apply(EntityDatabase database, CommitRequest request) {
        return separately(
                database,
                RequestedMutation.of(database, request, RequestedMutation.Writer.PLATFORM),
                false);
    }

    private CompletableFuture<CommitResponse> transactional(
            EntityDatabase database, CommitRequest request, List<RowWrite> accompanying) {
        return switch (request.getTransactionSelectorCase()) {
            case TRANSACTION -> inTransaction(database, request, accompanying);
            case SINGLE_USE_TRANSACTION -> {
                if (request.getSingleUseTransaction().hasReadOnly()) {
                    throw PetrichorException.invalid(
                            "A single_use_transaction of a commit must be read_write.");
                }
                yield blind(database, RequestedMutation.of(database, request), true);
            }
            case TRANSACTIONSELECTOR_NOT_SET ->
                    throw PetrichorException.invalid(
                            "A transactional commit must name a transaction or have a"
                                    + " single_use_transaction.");
        };
    }

    private CompletableFuture<CommitResponse> inTransaction(
            EntityDatabase database, CommitRequest request, List<RowWrite> accompanying) {
        Transaction transaction = ReadContexts.transaction(database, request.getTransaction());
        try {
            List<RequestedMutation> mutations = RequestedMutation.of(database, request);
            if (mutations.isEmpty() && accompanying.isEmpty()) {
                return transaction
                        .commit(List.of(), List.of())
                        .thenApply(result -> empty(version(result)));
            }
            if (transaction.readOnly()) {
                throw PetrichorException.invalid(
                        "A read-only transaction can't write; begin one with read_write.");
            }
            List<RequestedMutation> beside =
                    mutations.stream().filter(Commits::withoutTransactions).toList();
            if (beside.isEmpty()) {
                return prepared(
                        database, transaction, mutations, accompanying, Cancellation.current());
            }
            if (beside.size() == mutations.size() && accompanying.isEmpty()) {
                transaction.rollback();
                return separately(database, beside, true);
            }
            return besideAndIn(
                    database, transaction, mutations, accompanying, Cancellation.current());
        } catch (PetrichorException e) {
            endAfter(e, transaction);
            throw e;
        }
    }

    /** Applies the mutations outside the transaction first, then the transaction. */
    private CompletableFuture<CommitResponse> besideAndIn(
            EntityDatabase database,
            Transaction transaction,
            List<RequestedMutation> mutations,
            List<RowWrite> accompanying,
            @Nullable Cancellation caller) {
        Map<Boolean, List<RequestedMutation>> parts =
                mutations.stream().collect(Collectors.partitioningBy(Commits::withoutTransactions));
        List<RequestedMutation> beside = parts.getOrDefault(true, List.of());
        List<RequestedMutation> inside = parts.getOrDefault(false, List.of());
        return separately(database, beside, true)
                .whenComplete(
                        (_, failure) -> {
                            if (failure != null) {
                                transaction.rollback();
                            }
                        })
                .thenComposeAsync(
                        first ->
                                as(
                                                caller,
                                                () ->
                                                        prepared(
                                                                database,
                                                                transaction,
                                                                inside,
                                                                accompanying,
                                                                caller))
                                        .thenApply(second -> merged(mutations, first, second)),
                        VIRTUAL);
    }

    private static CommitResponse merged(
            List<RequestedMutation> mutations, CommitResponse beside, CommitResponse inside) {
        CommitResponse.Builder merged =
                inside.toBuilder()
                        .clearMutationResults()
                        .setIndexUpdates(beside.getIndexUpdates() + inside.getIndexUpdates());
        Iterator<MutationResult> first = beside.getMutationResultsList().iterator();
        Iterator<MutationResult> second = inside.getMutationResultsList().iterator();
        for (RequestedMutation mutation : mutations) {
            merged.addMutationResults(withoutTransactions(mutation) ? first.next() : second.next());
        }
        return merged.build();
    }

    private CompletableFuture<CommitResponse> prepared(
            EntityDatabase database,
            Transaction transaction,
            List<RequestedMutation> mutations,
            List<RowWrite> accompanying,
            @Nullable Cancellation caller) {
        try {
            List<byte[]> written = new ArrayList<>(rowsOf(mutations));
            accompanying.forEach(row -> written.add(row.key()));
            CompletableFuture<Void> ready = transaction.prepare(List.of(Indexes.ROW), written);
            Supplier<CompletableFuture<CommitResponse>> commit =
                    () -> inTransaction(database, transaction, mutations, accompanying, caller);
            return ready.isDone()
                    ? ready.thenCompose(_ -> commit.get())
                    : ready.thenComposeAsync(_ -> as(caller, commit), VIRTUAL);
        } catch (PetrichorException e) {
            endAfter(e, transaction);
            throw e;
        }
    }

    private static List<byte[]> rowsOf(List<RequestedMutation> mutations) {
        return mutations.stream().map(RequestedMutation::row).distinct().map(Bytes::array).toList();
    }

    /** Reads and writes the rows for which it was {@link Transaction#prepare prepared}. */
    private CompletableFuture<CommitResponse> inTransaction(
            EntityDatabase database,
            Transaction transaction,
            List<RequestedMutation> mutations,
            List<RowWrite> accompanying,
            @Nullable Cancellation caller) {
        try {
            check(caller);
            MutationBatch batch =
                    MutationBatch.prepare(database, transaction, mutations, time.epochMicros());
            batch.accompany(accompanying);
            return transaction
                    .commit(batch.conflictKeys(), batch.writes())
                    .thenApply(result -> response(batch, version(result), true));
        } catch (PetrichorException e) {
            endAfter(e, transaction);
            throw e;
        }
    }

    private static void check(@Nullable Cancellation caller) {
        if (caller != null) {
            caller.check();
        }
    }

    private static boolean withoutTransactions(RequestedMutation mutation) {
        return Namespaces.withoutTransactions(mutation.key().getPartitionId().getNamespaceId());
    }

    /** Ends the transaction of a failed commit; the client gets the original failure. */
    private static void endAfter(PetrichorException failure, Transaction transaction) {
        try {
            transaction.rollback();
        } catch (PetrichorException e) {
            failure.addSuppressed(e);
        }
    }

    private static CommitResponse empty(long version) {
        return CommitResponse.newBuilder().setCommitTime(ValueCodec.timestamp(version)).build();
    }

    /**
     * Applies the mutations together if nothing conflicts, otherwise separately for each entity.
     */
    private CompletableFuture<CommitResponse> separately(
            EntityDatabase database, List<RequestedMutation> mutations, boolean timed) {
        if (mutations.size() <= 1) {
            return blind(database, mutations, timed);
        }
        if (database.rows().locksInUse()) {
            return oneByOne(database, mutations, timed, Cancellation.current());
        }
        @Nullable Cancellation caller = Cancellation.current();
        CompletableFuture<CommitResponse> together;
        try {
            together = blind(database, mutations, timed);
        } catch (PetrichorException e) {
            together = CompletableFuture.failedFuture(e);
        }
        return together.exceptionallyCompose(
                failure ->
                        concernsOneMutation(failure)
                                ? oneByOne(database, mutations, timed, caller)
                                : CompletableFuture.failedFuture(failure));
    }

    private static boolean concernsOneMutation(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof PetrichorException known
                && switch (known.code()) {
                    case ALREADY_EXISTS, NOT_FOUND, ABORTED -> true;
                    case INVALID_ARGUMENT,
                            FAILED_PRECONDITION,
                            UNAUTHENTICATED,
                            PERMISSION_DENIED,
                            RESOURCE_EXHAUSTED,
                            UNIMPLEMENTED,
                            UNAVAILABLE,
                            DEADLINE_EXCEEDED,
                            INTERNAL ->
                            false;
                };
    }

    private CompletableFuture<CommitResponse> oneByOne(
            EntityDatabase database,
            List<RequestedMutation> mutations,
            boolean timed,
            @Nullable Cancellation caller) {
        SeparateCommits commits =
                new SeparateCommits(part -> blind(database, part, timed), mutations);
        return CompletableFuture.supplyAsync(() -> as(caller, commits::run), VIRTUAL);
    }

    /** Runs work on behalf of a request. */
    private static <T> T as(@Nullable Cancellation caller, Supplier<T> work) {
        if (caller == null) {
            return work.get();
        }
        List<T> result = new ArrayList<>(1);
        caller.run(() -> result.add(work.get()));
        return result.getFirst();
    }

    private CompletableFuture<CommitResponse> blind(
            EntityDatabase database, List<RequestedMutation> mutations, boolean timed) {
        AutoRetriedCommit commit =
                new AutoRetriedCommit(
                        database, mutations, time.epochMicros(), timed, Cancellation.current());
        if (database.rows().locksInUse()) {
            // The locks already queue it: waiting in both queues would take twice as long.
            return commit.attempt(1, null);
        }
        Set<Bytes> rows = new LinkedHashSet<>();
        for (RequestedMutation mutation : mutations) {
            rows.add(mutation.row());
        }
        KeyQueues.Turn turn =
                queues.computeIfAbsent(database.rows().name(), _ -> new KeyQueues()).enter(rows);
        CompletableFuture<CommitResponse> response;
        try {
            response = turn.ready().isDone() ? commit.attempt(1, null) : inTurn(commit, turn);
        } catch (RuntimeException | Error e) {
            turn.leave();
            throw e;
        }
        // An abandoned commit keeps its place, so that the next one does not overtake earlier ones.
        return response.whenComplete(
                (_, _) -> {
                    var _ = turn.ready().thenRun(turn::leave);
                });
    }

    private static CompletableFuture<CommitResponse> inTurn(
            AutoRetriedCommit commit, KeyQueues.Turn turn) {
        Cancellation caller = commit.caller();
        CompletableFuture<Void> ready = caller == null ? turn.ready() : caller.limit(turn.ready());
        return ready.thenComposeAsync(_ -> as(caller, () -> commit.attempt(1, null)), VIRTUAL);
    }

    private record AutoRetriedCommit(
            EntityDatabase database,
            List<RequestedMutation> mutations,
            long requestTime,
            boolean timed,
            @Nullable Cancellation caller) {

        /**
         * @param previous the previous attempt, if it had locks: this attempt gets the same age
         */
        CompletableFuture<CommitResponse> attempt(int number, @Nullable TransactionId previous) {
            check(caller);
            return previous != null || database.rows().locksInUse()
                    ? withLocks(number, previous)
                    : withoutLocks(number);
        }

        private CompletableFuture<CommitResponse> withoutLocks(int number) {
            MutationBatch batch;
            CompletableFuture<CommitResult> committed;
            try (Snapshot snapshot = database.rows().snapshot()) {
                batch = MutationBatch.prepare(database, snapshot, mutations, requestTime);
                if (batch.writes().isEmpty()) {
                    return CompletableFuture.completedFuture(
                            response(batch, snapshot.version(), timed));
                }
                committed =
                        database.rows()
                                .commit(
                                        new petrichor.transactions.CommitRequest(
                                                snapshot.version(),
                                                batch.readKeys(),
                                                List.of(),
                                                batch.conflictKeys(),
                                                batch.writes()));
            }
            return answer(number, batch, committed, null);
        }

        /**
         * While locks are held: queues for them before it reads, together with the transactions, so
         * that the row does not change once it is free.
         */
        private CompletableFuture<CommitResponse> withLocks(
                int number, @Nullable TransactionId previous) {
            Transaction transaction =
                    database.rows().begin(new TransactionOptions.Pessimistic(previous));
            CompletableFuture<Void> ready;
            try {
                ready = transaction.prepare(List.of(Indexes.ROW), rowsOf(mutations));
            } catch (PetrichorException e) {
                endAfter(e, transaction);
                throw e;
            }
            return ready.isDone()
                    ? ready.thenCompose(_ -> prepared(number, transaction))
                    : ready.thenComposeAsync(
                            _ -> as(caller, () -> prepared(number, transaction)), VIRTUAL);
        }

        private CompletableFuture<CommitResponse> prepared(int number, Transaction transaction) {
            try {
                check(caller);
                MutationBatch batch =
                        MutationBatch.prepare(database, transaction, mutations, requestTime);
                if (batch.writes().isEmpty()) {
                    long version = transaction.version();
                    transaction.rollback();
                    return CompletableFuture.completedFuture(response(batch, version, timed));
                }
                return answer(
                        number,
                        batch,
                        transaction.commit(batch.conflictKeys(), batch.writes()),
                        transaction.id());
            } catch (PetrichorException e) {
                endAfter(e, transaction);
                throw e;
            }
        }

        private CompletableFuture<CommitResponse> answer(
                int number,
                MutationBatch batch,
                CompletableFuture<CommitResult> committed,
                @Nullable TransactionId id) {
            return committed.thenCompose(
                    result ->
                            result instanceof CommitResult.Conflict && number < ATTEMPTS_MAX
                                    ? again(number + 1, id)
                                    : CompletableFuture.completedFuture(
                                            response(batch, version(result), timed)));
        }

        /** Not on the committer's thread: an attempt reads. */
        private CompletableFuture<CommitResponse> again(
                int number, @Nullable TransactionId previous) {
            return NOW.thenComposeAsync(_ -> as(caller, () -> attempt(number, previous)), VIRTUAL);
        }
    }

    private static CommitResponse response(MutationBatch batch, long version, boolean timed) {
        CommitResponse.Builder response =
                CommitResponse.newBuilder()
                        .addAllMutationResults(batch.results(version))
                        .setIndexUpdates(batch.indexUpdates());
        if (timed) {
            response.setCommitTime(ValueCodec.timestamp(version));
        }
        return response.build();
    }

    private static long version(CommitResult result) {
        return switch (result) {
            case CommitResult.Committed(long version) -> version;
            case CommitResult.Conflict(byte[] key, long version) ->
                    throw PetrichorException.of(
                            ErrorCode.ABORTED,
                            "too much contention on these datastore entities. please try again."
                                    + " Another commit changed something that this transaction"
                                    + " read or wrote.",
                            "row",
                            Bytes.of(key),
                            "version",
                            version);
            case CommitResult.Refused(PetrichorException reason) -> throw reason;
            case CommitResult.Unknown(PetrichorException reason) -> throw reason;
        };
    }
}
