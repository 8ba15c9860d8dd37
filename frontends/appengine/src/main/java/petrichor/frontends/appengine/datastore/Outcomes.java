package petrichor.frontends.appengine.datastore;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for results of the entity layer. Stateless. */
final class Outcomes {
    private Outcomes() {}

    /** Throws the failure itself, not the exception that wraps it in the future. */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
