package petrichor.transactions.scheduling;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for futures that the committer completes. */
public final class Futures {
    private Futures() {}

    public static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException failed) {
            if (failed.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw failed;
        }
    }
}
