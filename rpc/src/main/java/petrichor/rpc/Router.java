package petrichor.rpc;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import petrichor.base.ErrorCode;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;

/**
 * Forwards each call to the owner of its database. A call that was certainly not executed is
 * retried with the current owner, for as long as a failover may take; then it fails with
 * UNAVAILABLE. A call that may have been executed is not retried. Thread-safe; waits only on
 * virtual threads.
 */
final class Router implements Routing {
    private static final long RETRY_AFTER_MILLIS = 25;

    /**
     * An owner with more pending calls of this server gets none of the reads that this server can
     * execute itself.
     */
    private static final int CALLS_OF_A_FREE_OWNER_MAX = 64;

    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("find-owner").start(task);

    private final OwnerDirectory owners;
    private final PeerChannels peers;
    private final Duration forwardTimeout;
    private final LongAdder forwarded = new LongAdder();
    private final LongAdder repeated = new LongAdder();

    /**
     * @param forwardTimeout how long a call looks for an owner before it is refused
     */
    Router(OwnerDirectory owners, PeerChannels peers, Duration forwardTimeout) {
        this.owners = owners;
        this.peers = peers;
        this.forwardTimeout = forwardTimeout;
    }

    /**
     * Attempt to execute a call with one owner.
     *
     * @param arrived forwarded by another server: it must not be forwarded again
     */
    private record Attempt(RoutedCall call, String database, boolean arrived, long untilNanos) {}

    @Override
    public CompletableFuture<byte[]> call(RoutedCall call) {
        return route(call, false);
    }

    /**
     * Executes a call that another server forwarded; {@link NotOwner} if this server is not the
     * owner.
     */
    CompletableFuture<byte[]> arrived(RoutedCall call) {
        return route(call, true);
    }

    private CompletableFuture<byte[]> route(RoutedCall call, boolean arrived) {
        try {
            String database = call.database();
            Attempt attempt =
                    new Attempt(
                            call, database, arrived, System.nanoTime() + forwardTimeout.toNanos());
            return switch (call.locality()) {
                case OWNER -> attempt(attempt);
                case ANY -> here(attempt);
                case ANY_SHORT ->
                        !arrived && ownerReadsCheaper(database) ? attempt(attempt) : here(attempt);
            };
        } catch (PetrichorException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /**
     * Another server owns the database and has few calls of this one. It must be queried for a
     * version in any case, and may have the rows in memory.
     */
    private boolean ownerReadsCheaper(String database) {
        return owners.known(database).orElse(null) instanceof Owner.There there
                && peers.underWay(there.peer()) < CALLS_OF_A_FREE_OWNER_MAX;
    }

    /** Forwards the call only if it turns out to need the owner. */
    private CompletableFuture<byte[]> here(Attempt attempt) {
        return attempt.call()
                .execute()
                .exceptionallyCompose(
                        failure ->
                                CallFailure.cause(failure) instanceof NotOwner
                                        ? attempt(attempt)
                                        : CompletableFuture.failedFuture(failure));
    }

    /** Result of looking for an owner. */
    private sealed interface Search {
        record Found(Owner owner) implements Search {}

        record Away(String why) implements Search {}
    }

    private CompletableFuture<byte[]> attempt(Attempt attempt) {
        Optional<Owner> known = owners.known(attempt.database());
        return known.isPresent()
                ? at(known.get(), attempt)
                : CompletableFuture.supplyAsync(() -> search(attempt), VIRTUAL)
                        .thenCompose(
                                search ->
                                        switch (search) {
                                            case Search.Found(Owner owner) -> at(owner, attempt);
                                            case Search.Away(String why) -> again(attempt, why);
                                        });
    }

    private Search search(Attempt attempt) {
        try {
            return new Search.Found(owners.find(attempt.database(), attempt.arrived()));
        } catch (PetrichorException failed) {
            if (failed.code() == ErrorCode.UNAVAILABLE) {
                return new Search.Away(String.valueOf(failed.getMessage()));
            }
            throw failed;
        }
    }

    private CompletableFuture<byte[]> at(Owner owner, Attempt attempt) {
        return switch (owner) {
            case Owner.Here _ ->
                    attempt.call()
                            .execute()
                            .exceptionallyCompose(
                                    failed ->
                                            CallFailure.cause(failed) instanceof NotOwner
                                                    ? again(
                                                            attempt,
                                                            "this server's lease has expired")
                                                    : CompletableFuture.failedFuture(failed));
            case Owner.There there when attempt.arrived() -> {
                // Perhaps outdated: the owner would not have forwarded the call. The next one makes
                // this server look for the owner, or claim the database.
                owners.invalidate(attempt.database(), there);
                yield notOwner(attempt);
            }
            case Owner.There there -> forward(there, attempt);
        };
    }

    private static CompletableFuture<byte[]> notOwner(Attempt attempt) {
        return CompletableFuture.failedFuture(
                new NotOwner("this server does not own " + attempt.database()));
    }

    private CompletableFuture<byte[]> forward(Owner.There there, Attempt attempt) {
        forwarded.increment();
        return peers.call(there.peer(), attempt.call())
                .thenCompose(
                        reply ->
                                switch (reply) {
                                    case Reply.Answer(byte[] message) ->
                                            CompletableFuture.completedFuture(message);
                                    case Reply.Failed(var failure) ->
                                            CompletableFuture.failedFuture(failure);
                                    case Reply.NotDone(String why) -> {
                                        owners.invalidate(attempt.database(), there);
                                        yield again(attempt, why);
                                    }
                                });
    }

    private CompletableFuture<byte[]> again(Attempt attempt, String why) {
        if (attempt.arrived()) {
            // The server that forwarded it retries.
            return notOwner(attempt);
        }
        PetrichorException stopped = attempt.call().cancellation().reasonToStop();
        if (stopped != null) {
            return CompletableFuture.failedFuture(stopped);
        }
        if (System.nanoTime() - attempt.untilNanos() > 0) {
            return CompletableFuture.failedFuture(noOwner(attempt.database(), why));
        }
        repeated.increment();
        Executor later =
                CompletableFuture.delayedExecutor(
                        RETRY_AFTER_MILLIS, TimeUnit.MILLISECONDS, VIRTUAL);
        return CompletableFuture.runAsync(() -> {}, later).thenCompose(_ -> attempt(attempt));
    }

    private static PetrichorException noOwner(String database, String why) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "no server could take over the database '{database}' in time: {reason}; nothing was"
                        + " done, retry",
                "reason",
                why,
                "database",
                database);
    }

    long forwarded() {
        return forwarded.sum();
    }

    long repeated() {
        return repeated.sum();
    }
}
