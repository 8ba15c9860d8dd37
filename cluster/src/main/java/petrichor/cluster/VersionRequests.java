package petrichor.cluster;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.SharedVersion;
import petrichor.transactions.VersionSource;

/**
 * Asks the owner of one database for versions, once for all who wait: while a question is under
 * way, further readers gather for the next one, since an answer serves only those who came before
 * it was asked. Safe for any thread; callers wait.
 */
final class VersionRequests implements VersionSource {
    private final String database;
    private final Router router;
    private final LongAdder questions;
    private final Object turn = new Object();
    private boolean asking;
    private @Nullable CompletableFuture<SharedVersion> next;

    /**
     * @param questions counts what was really asked
     */
    VersionRequests(String database, Router router, LongAdder questions) {
        this.database = database;
        this.router = router;
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
            throw Router.cause(failed) instanceof RuntimeException known ? known : failed;
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
                router.version(database)
                        .whenComplete(
                                (answer, failed) -> {
                                    if (failed != null) {
                                        waiting.completeExceptionally(Router.cause(failed));
                                    } else if (answer.length == 0) {
                                        // Ours: the read is to be done on the database itself.
                                        waiting.completeExceptionally(
                                                new NotSequencedHere(database));
                                    } else {
                                        waiting.complete(VersionMessages.version(answer));
                                    }
                                    ask();
                                });
    }
}
