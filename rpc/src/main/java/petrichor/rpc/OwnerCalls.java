package petrichor.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A service with one method, which the owner of a database executes on a virtual thread; another
 * server waits for its answer. Thread-safe.
 *
 * @param <Q> the request
 * @param <A> the answer
 */
public final class OwnerCalls<Q extends MessageLite, A extends MessageLite>
        implements RoutedService {
    private final Rpc rpc;
    private final Method<Q, A> method;
    private final Work<Q, A> work;

    /**
     * How requests are read and routed.
     *
     * @param service as {@code package.Service}
     * @param database whose owner executes the request
     * @param callMaxNanos for the search of the owner and the work
     */
    public record Method<Q extends MessageLite, A extends MessageLite>(
            String service,
            Parser<Q> requests,
            Parser<A> answers,
            Function<Q, String> database,
            long callMaxNanos) {
        private String name() {
            return service + "/Call";
        }
    }

    /** What the owner does. */
    @FunctionalInterface
    public interface Work<Q, A> {
        /** May block. Throws {@link petrichor.base.NotOwner} if this server is not the owner. */
        A execute(Q request, Cancellation cancellation);
    }

    /** Registers the service. */
    public OwnerCalls(Rpc rpc, Method<Q, A> method, Work<Q, A> work) {
        this.rpc = rpc;
        this.method = method;
        this.work = work;
        rpc.register(this);
    }

    @Override
    public String name() {
        return method.service();
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(method.name())) {
            throw RoutedService.unknown(call.method());
        }
        try {
            return new Call(method.requests().parseFrom(call.body()), call.cancellation());
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INVALID_ARGUMENT,
                    malformed,
                    "another server sent a malformed request of {service}; do all servers run the"
                            + " same version?",
                    "service",
                    method.service());
        }
    }

    /** Executes a request at the owner and waits for its answer. */
    public A ask(Q request) {
        Cancellation cancellation = Cancellation.after(method.callMaxNanos());
        try {
            return method.answers()
                    .parseFrom(rpc.routing().call(new Call(request, cancellation)).join());
        } catch (CompletionException failed) {
            if (CallFailure.cause(failed) instanceof RuntimeException cause) {
                throw cause;
            }
            throw failed;
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, malformed, "The owner sent a malformed answer.");
        }
    }

    private final class Call implements RoutedCall {
        private final Q request;
        private final Cancellation cancellation;

        Call(Q request, Cancellation cancellation) {
            this.request = request;
            this.cancellation = cancellation;
        }

        @Override
        public String method() {
            return method.name();
        }

        @Override
        public String database() {
            return method.database().apply(request);
        }

        @Override
        public Locality locality() {
            return Locality.OWNER;
        }

        @Override
        public byte[] body() {
            return request.toByteArray();
        }

        @Override
        public Cancellation cancellation() {
            return cancellation;
        }

        // every failure becomes the caller's response; otherwise the caller would wait
        @SuppressWarnings("CatchThrowable")
        @Override
        public CompletableFuture<byte[]> execute() {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            Thread.ofVirtual()
                    .name(method.service())
                    .start(
                            () -> {
                                try {
                                    answer.complete(
                                            work.execute(request, cancellation).toByteArray());
                                } catch (Throwable failed) {
                                    answer.completeExceptionally(failed);
                                }
                            });
            return answer;
        }
    }
}
