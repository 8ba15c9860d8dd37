package petrichor.frontends.datastore;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.rpc.Locality;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.Trace;

/**
 * A call of the API to be routed to the server that executes it.
 *
 * @param kind its method
 * @param request encodes the request; used only if the call is forwarded
 * @param here executes the call on this server
 * @param trace the client's trace context; null if it sent none
 * @param arrived metrics of a call forwarded by another server; null for a client's call
 */
record DatastoreCall(
        DatastoreMethod kind,
        RequestHead head,
        Supplier<byte[]> request,
        Supplier<CompletableFuture<byte[]>> here,
        Cancellation cancellation,
        @Nullable Trace trace,
        RequestMetrics.@Nullable Running arrived)
        implements RoutedCall {
    @Override
    public String method() {
        return kind.fullName();
    }

    @Override
    public String database() {
        return head.database();
    }

    @Override
    public Locality locality() {
        return switch (head.lane()) {
            case WRITES, LOCKS -> Locality.OWNER;
            case READS -> head.shortRead() ? Locality.ANY_SHORT : Locality.ANY;
        };
    }

    @Override
    public byte[] body() {
        return request.get();
    }

    @Override
    public @Nullable String traceparent() {
        return trace == null ? null : trace.traceparent();
    }

    @Override
    public CompletableFuture<byte[]> execute() {
        try {
            return here.get();
        } catch (RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    @Override
    public void ended(int answerBytes, @Nullable Throwable failure) {
        if (arrived != null) {
            if (failure == null) {
                arrived.succeeded(answerBytes);
            } else {
                arrived.failed(failure);
            }
        }
    }
}
