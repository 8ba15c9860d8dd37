package petrichor.kv.ranges;

import petrichor.base.PetrichorException;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

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
