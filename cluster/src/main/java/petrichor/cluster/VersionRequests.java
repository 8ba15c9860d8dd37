package petrichor.cluster;

import com.google.protobuf.InvalidProtocolBufferException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Routing;
import petrichor.rpc.v1.ReadVersionResponse;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.SharedVersion;
import petrichor.transactions.VersionSource;

/**
 * Requests read versions from the owner of one database, batched for all waiting readers: while a
 * request is pending, further readers queue for the next one, since a response is valid only for
 * readers that arrived before it was requested. Thread-safe; callers wait.
 */
final class VersionRequests implements VersionSource {
    private static final byte[] NO_ANSWER = {};

    private final String database;
    private final Routing routing;
    private final LongAdder questions;
    private final Object turn = new Object();
    private boolean asking;
    private @Nullable CompletableFuture<SharedVersion> next;

    /**
     * @param questions counts the requests sent
     */
    VersionRequests(String database, Routing routing, LongAdder questions) {
        this.database = database;
        this.routing = routing;
        this.questions = questions;
    }

    @Override
    public SharedVersion newest() {
        CompletableFuture<SharedVersion> mine;
        boolean first;
        synchronized (turn) {
            mine = next == null ? new CompletableFuture<>() : next;
            next = mine;
            first = !asking;
            asking = true;
        }
        if (first) {
            ask();
        }
        try {
            Cancellation caller = Cancellation.current();
            return (caller == null ? mine : caller.limit(mine)).join();
        } catch (java.util.concurrent.CompletionException failed) {
            throw CallFailure.cause(failed) instanceof RuntimeException known ? known : failed;
        }
    }

    private void ask() {
        CompletableFuture<SharedVersion> waiting;
        synchronized (turn) {
            waiting = next;
            next = null;
            if (waiting == null) {
                asking = false;
                return;
            }
        }
        questions.increment();
        var _ =
                ask(routing, database)
                        .whenComplete((answer, failed) -> answered(waiting, answer, failed));
    }

    /** The owner's response; empty bytes if this server is the owner. */
    static CompletableFuture<byte[]> ask(Routing routing, String database) {
        return routing.call(
                new VersionCall(
                        database,
                        () -> CompletableFuture.completedFuture(NO_ANSWER),
                        Cancellation.never()));
    }

    private void answered(
            CompletableFuture<SharedVersion> waiting,
            byte @Nullable [] answer,
            @Nullable Throwable failed) {
        if (answer == null || failed != null) {
            waiting.completeExceptionally(
                    failed == null ? new IllegalStateException() : CallFailure.cause(failed));
        } else if (answer.length == 0) {
            // This server is the owner: the read is executed on the database itself.
            waiting.completeExceptionally(new NotSequencedHere(database));
        } else {
            complete(waiting, answer);
        }
        ask();
    }

    private static void complete(CompletableFuture<SharedVersion> waiting, byte[] answer) {
        try {
            ReadVersionResponse version = ReadVersionResponse.parseFrom(answer);
            waiting.complete(
                    new SharedVersion(
                            version.getDatabaseNumber(),
                            version.getVersion(),
                            version.getOwnerMicros(),
                            version.getRetentionMicros()));
        } catch (InvalidProtocolBufferException malformed) {
            waiting.completeExceptionally(
                    PetrichorException.of(
                            ErrorCode.INTERNAL,
                            malformed,
                            "the owner of a database sent a malformed read version"));
        }
    }
}
