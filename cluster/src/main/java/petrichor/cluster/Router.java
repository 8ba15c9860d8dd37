package petrichor.cluster;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.datastore.Routing;
import petrichor.transactions.NotSequencedHere;

/**
 * Forwards each call to the owner of its database. A call that was certainly not executed is
 * retried with the current owner, for as long as a fail-over may take; then it fails with
 * UNAVAILABLE. A call that may have been executed is not retried. Safe for any thread, waits on
 * virtual ones.
 */
final class Router implements Routing {
    private static final long AGAIN_AFTER_MILLIS = 25;

    /** An owner that has more calls of ours under way is spared what we can read ourselves. */
    private static final int CALLS_OF_A_FREE_OWNER_MAX = 64;

    private static final byte[] NO_ANSWER = {};

    private static final Executor VIRTUAL =
            task -> Thread.ofVirtual().name("find-owner").start(task);

    private final Ownership ownership;
    private final PeerChannels peers;
    private final ClusterSettings settings;
    private final LongAdder forwarded = new LongAdder();
    private final LongAdder repeated = new LongAdder();

    Router(Ownership ownership, PeerChannels peers, ClusterSettings settings) {
        this.ownership = ownership;
        this.peers = peers;
        this.settings = settings;
    }

    /** How a call is carried out by one owner. */
    private record Attempt(
            Request request, Supplier<CompletableFuture<byte[]>> here, long untilNanos) {}

    @Override
    public CompletableFuture<byte[]> carryOut(
            Request request, Supplier<CompletableFuture<byte[]>> here) {
        return attempt(
                new Attempt(
                        request, here, System.nanoTime() + settings.forwardTimeout().toNanos()));
    }

    /** The newest version of a database, from its owner; empty bytes if that is this server. */
    CompletableFuture<byte[]> version(String database) {
        return carryOut(
                new Request(
                        database,
                        VersionMessages.METHOD,
                        () -> VersionMessages.request(database),
                        false,
                        Cancellation.never()),
                () -> CompletableFuture.completedFuture(NO_ANSWER));
    }

    @Override
    public boolean ownerReadsCheaper(String database) {
        return ownership.known(database).orElse(null) instanceof Owner.There there
                && peers.underWay(there.member()) < CALLS_OF_A_FREE_OWNER_MAX;
    }

    /** What looking for an owner led to. */
    private sealed interface Search {
        record Found(Owner owner) implements Search {}

        record Away(String why) implements Search {}
    }

    private CompletableFuture<byte[]> attempt(Attempt attempt) {
        Optional<Owner> known = ownership.known(attempt.request().database());
        return known.isPresent()
                ? at(known.get(), attempt)
                : CompletableFuture.supplyAsync(() -> search(attempt.request()), VIRTUAL)
                        .thenCompose(
                                search ->
                                        switch (search) {
                                            case Search.Found(Owner owner) -> at(owner, attempt);
                                            case Search.Away(String why) -> again(attempt, why);
                                        });
    }

    private Search search(Request request) {
        try {
            return new Search.Found(ownership.find(request.database(), request.forwarded()));
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
                    attempt.here()
                            .get()
                            .exceptionallyCompose(
                                    failed ->
                                            cause(failed) instanceof NotSequencedHere
                                                    ? again(
                                                            attempt,
                                                            "this server's lease has expired")
                                                    : CompletableFuture.failedFuture(failed));
            case Owner.There there when attempt.request().forwarded() ->
                    CompletableFuture.failedFuture(
                            new NotSequencedHere(attempt.request().database()));
            case Owner.There there -> forward(there, attempt);
        };
    }

    private CompletableFuture<byte[]> forward(Owner.There there, Attempt attempt) {
        forwarded.increment();
        Request request = attempt.request();
        return peers.call(
                        there.member(),
                        request.method(),
                        request.message().get(),
                        request.cancellation())
                .thenCompose(
                        reply ->
                                switch (reply) {
                                    case Reply.Answer(byte[] message) ->
                                            CompletableFuture.completedFuture(message);
                                    case Reply.Failed(var failure) ->
                                            CompletableFuture.failedFuture(failure);
                                    case Reply.NotDone(String why) -> {
                                        ownership.invalidate(request.database(), there);
                                        yield again(attempt, why);
                                    }
                                });
    }

    private CompletableFuture<byte[]> again(Attempt attempt, String why) {
        String database = attempt.request().database();
        if (attempt.request().forwarded()) {
            // The server that sent it tries again.
            return CompletableFuture.failedFuture(new NotSequencedHere(database));
        }
        PetrichorException stopped = attempt.request().cancellation().reasonToStop();
        if (stopped != null) {
            return CompletableFuture.failedFuture(stopped);
        }
        if (System.nanoTime() - attempt.untilNanos() > 0) {
            return CompletableFuture.failedFuture(noOwner(database, why));
        }
        repeated.increment();
        Executor later =
                CompletableFuture.delayedExecutor(
                        AGAIN_AFTER_MILLIS, TimeUnit.MILLISECONDS, VIRTUAL);
        return CompletableFuture.runAsync(() -> {}, later).thenCompose(_ -> attempt(attempt));
    }

    static PetrichorException noOwner(String database, String why) {
        return new PetrichorException(
                ErrorCode.UNAVAILABLE,
                "no server could take over the database '"
                        + database
                        + "' in time: "
                        + why
                        + "; nothing was done, retry",
                Map.of("database", database));
    }

    static Throwable cause(Throwable failed) {
        return failed instanceof CompletionException && failed.getCause() != null
                ? failed.getCause()
                : failed;
    }

    long forwarded() {
        return forwarded.sum();
    }

    long repeated() {
        return repeated.sum();
    }
}
