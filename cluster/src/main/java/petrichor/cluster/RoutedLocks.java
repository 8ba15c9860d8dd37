package petrichor.cluster;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.Routing;
import petrichor.rpc.v1.KeepLocks;
import petrichor.rpc.v1.LockRow;
import petrichor.rpc.v1.ReleaseLocks;
import petrichor.rpc.v1.RowLocksRequest;
import petrichor.rpc.v1.RowLocksResponse;
import petrichor.transactions.LockResult;
import petrichor.transactions.LockStrength;

/**
 * The row locks of one transaction, which the owner of its database keeps in a holder. Confined to
 * its transaction.
 */
final class RoutedLocks {
    /** How often a transaction in use reports that; below the time after which a holder expires. */
    private static final long KEEP_NANOS = Duration.ofSeconds(10).toNanos();

    /** Beyond the wait for the lock. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

    private static final Duration RELEASE_MAX = Duration.ofSeconds(5);

    private final String database;
    private final Routing routing;
    private final LockService here;
    private @Nullable ByteString holder;
    private long usedNanos;

    RoutedLocks(String database, Routing routing, LockService here) {
        this.database = database;
        this.routing = routing;
        this.here = here;
    }

    /** Null before the first lock. */
    @Nullable ByteString holder() {
        return holder;
    }

    LockResult lock(byte[] key, LockStrength strength, Duration waitMax) {
        Cancellation caller = Cancellation.current();
        Duration wait = caller == null ? waitMax : shorter(waitMax, caller.remainingNanos());
        RowLocksRequest.Builder request =
                request()
                        .setLock(
                                LockRow.newBuilder()
                                        .setKey(ByteString.copyFrom(key))
                                        .setExclusive(strength == LockStrength.EXCLUSIVE)
                                        .setWaitMillis(wait.toMillis()));
        Cancellation limit = Cancellation.after(wait.plus(ANSWER_MAX).toNanos());
        if (caller != null) {
            caller.onCancel(limit::cancel);
        }
        try {
            RowLocksResponse response = RowLocksResponse.parseFrom(answer(request.build(), limit));
            if (!response.getHolder().isEmpty()) {
                holder = response.getHolder();
                usedNanos = System.nanoTime();
            }
            return LockResult.valueOf(response.getResult());
        } catch (CompletionException failed) {
            if (caller != null && caller.reasonToStop() != null) {
                return LockResult.NOT_AVAILABLE;
            }
            throw failed.getCause() instanceof PetrichorException reason ? reason : failed;
        } catch (InvalidProtocolBufferException | IllegalArgumentException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    malformed,
                    "the owner of a database sent a malformed answer about a row lock");
        }
    }

    private static Duration shorter(Duration waitMax, long remainingNanos) {
        return remainingNanos < waitMax.toNanos()
                ? Duration.ofNanos(Math.max(0, remainingNanos))
                : waitMax;
    }

    /** The transaction continues: the holder must not expire. Does not wait. */
    @SuppressWarnings("FutureReturnValueIgnored") // the next lock or the commit fails, too
    void keep() {
        if (holder != null && System.nanoTime() - usedNanos > KEEP_NANOS) {
            usedNanos = System.nanoTime();
            call(
                    request().setKeep(KeepLocks.getDefaultInstance()).build(),
                    Cancellation.after(RELEASE_MAX.toNanos()));
        }
    }

    /** Waits for it, so that what follows in the session finds the rows free. */
    void release() {
        if (holder == null) {
            return;
        }
        RowLocksRequest request = request().setRelease(ReleaseLocks.getDefaultInstance()).build();
        holder = null;
        try {
            byte[] _ = answer(request, Cancellation.after(RELEASE_MAX.toNanos()));
        } catch (CompletionException unreachable) {
            // The holder expires.
        }
    }

    private RowLocksRequest.Builder request() {
        RowLocksRequest.Builder request = RowLocksRequest.newBuilder().setDatabase(database);
        if (holder != null) {
            request.setHolder(holder);
        }
        return request;
    }

    /** A CompletionException with UNAVAILABLE if the owner does not answer in time. */
    private byte[] answer(RowLocksRequest request, Cancellation limit) {
        try {
            return call(request, limit)
                    .copy()
                    .orTimeout(Math.max(0, limit.remainingNanos()), TimeUnit.NANOSECONDS)
                    .join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof TimeoutException) {
                limit.cancel();
                throw new CompletionException(
                        PetrichorException.of(
                                ErrorCode.UNAVAILABLE,
                                "The owner of the database did not answer a request for a row lock"
                                        + " in time; retry the transaction."));
            }
            throw failed;
        }
    }

    private CompletableFuture<byte[]> call(RowLocksRequest request, Cancellation cancellation) {
        return routing.call(
                new LockCall(
                        request,
                        () -> here.executed(request, cancellation),
                        cancellation,
                        answer -> releaseLate(request, answer)));
    }

    /** Of a holder that this transaction does not know, because it stopped waiting for the lock. */
    @SuppressWarnings("FutureReturnValueIgnored") // otherwise the holder expires
    private void releaseLate(RowLocksRequest request, byte[] answer) {
        if (request.hasHolder()) {
            return;
        }
        try {
            ByteString unknown = RowLocksResponse.parseFrom(answer).getHolder();
            if (!unknown.isEmpty()) {
                call(
                        RowLocksRequest.newBuilder()
                                .setDatabase(database)
                                .setHolder(unknown)
                                .setRelease(ReleaseLocks.getDefaultInstance())
                                .build(),
                        Cancellation.after(RELEASE_MAX.toNanos()));
            }
        } catch (InvalidProtocolBufferException malformed) {
            // The holder expires.
        }
    }
}
