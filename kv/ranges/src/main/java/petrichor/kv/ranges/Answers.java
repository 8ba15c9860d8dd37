package petrichor.kv.ranges;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import petrichor.base.PetrichorException;

/** Waiting for what a store answers. The store bounds how long that takes. */
final class Answers {
    private Answers() {}

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
