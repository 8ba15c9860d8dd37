package petrichor.movement.upstream;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import petrichor.base.Cancellation;
import petrichor.client.DatabaseName;

/**
 * A call of the Datastore API that the upstream or this server answers.
 *
 * @param method such as {@code Lookup}
 * @param here executes a request of this method on this server
 */
public record UpstreamCall(
        DatabaseName database,
        String method,
        Message request,
        Cancellation cancellation,
        Function<Message, CompletableFuture<byte[]>> here) {}
