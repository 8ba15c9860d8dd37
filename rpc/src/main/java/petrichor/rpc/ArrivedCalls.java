package petrichor.rpc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;

/** Executes calls that other servers forwarded. Thread-safe; blocks no thread. */
final class ArrivedCalls {
    private final RoutedServices services;
    private final Router router;
    private final Duration executionTimeout;

    /**
     * @param executionTimeout longest execution of a call. The server that received it from the
     *     client cancels it earlier if the client's own deadline passes
     */
    ArrivedCalls(RoutedServices services, Router router, Duration executionTimeout) {
        this.services = services;
        this.router = router;
        this.executionTimeout = executionTimeout;
    }

    Cancellation cancellation() {
        return Cancellation.after(executionTimeout.toNanos());
    }

    /** Does not throw; every failure is in the future. */
    CompletableFuture<byte[]> execute(RoutedService.Forwarded forwarded) {
        RoutedCall call;
        try {
            call = services.decode(forwarded);
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        CompletableFuture<byte[]> answer;
        try {
            answer = router.arrived(call);
        } catch (RuntimeException refused) {
            answer = CompletableFuture.failedFuture(refused);
        }
        return answer.whenComplete((bytes, failure) -> ended(call, bytes, failure));
    }

    private static void ended(
            RoutedCall call, byte @Nullable [] bytes, @Nullable Throwable failure) {
        call.ended(bytes == null ? 0 : bytes.length, failure);
    }
}
