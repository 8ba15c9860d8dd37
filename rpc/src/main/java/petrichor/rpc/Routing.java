package petrichor.rpc;

import java.util.concurrent.CompletableFuture;

/** Executes calls on the servers that can execute them. Thread-safe. */
public interface Routing {
    /** A standalone server executes everything itself. */
    Routing STANDALONE = Routing::execute;

    /**
     * Does not block and does not throw; every failure is in the future. Completes on any thread.
     */
    CompletableFuture<byte[]> call(RoutedCall call);

    private static CompletableFuture<byte[]> execute(RoutedCall call) {
        try {
            return call.execute();
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }
}
