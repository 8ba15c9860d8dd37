package petrichor.kv.ranges;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import petrichor.base.PetrichorException;

/** Waits for responses of a store. The store bounds the wait. */
final class Replies {
    private Replies() {}

    static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof PetrichorException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
