package petrichor.frontends.datastore;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import petrichor.base.Cancellation;

/**
 * Answers the calls of the API in place of this server's datastore, which a server in front of
 * another endpoint needs. Thread-safe; never blocks.
 */
@FunctionalInterface
public interface CallRoute {
    CompletableFuture<byte[]> answer(Call call);

    /**
     * An authorized call.
     *
     * @param method such as {@code Lookup}
     * @param here executes a request of this method on this server's datastore
     */
    record Call(
            String project,
            String database,
            String method,
            Message request,
            Cancellation cancellation,
            Function<Message, CompletableFuture<byte[]>> here) {}
}
