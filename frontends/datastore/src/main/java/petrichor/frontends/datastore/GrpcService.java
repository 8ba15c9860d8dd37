package petrichor.frontends.datastore;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;
import petrichor.rpc.ByteMessages;
import petrichor.rpc.Trace;

/**
 * The eight methods over gRPC. Messages pass through gRPC as byte arrays: requests are parsed where
 * they are executed, so that malformed ones receive a useful error, and responses are sent as
 * encoded. Callbacks run on network threads and never block.
 */
final class GrpcService {
    private static final Metadata.Key<String> ORIGIN =
            Metadata.Key.of("origin", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> TRACEPARENT =
            Metadata.Key.of(Trace.HEADER, Metadata.ASCII_STRING_MARSHALLER);
    private final DatastoreService service;
    private final Authenticator gate;
    private final BrowserGuard guard;
    private final RequestMetrics metrics;
    private final Duration executionWithin;

    /**
     * @param executionWithin longest time for a call, regardless of the client's deadline
     */
    GrpcService(
            DatastoreService service,
            Authenticator gate,
            BrowserGuard guard,
            RequestMetrics metrics,
            Duration executionWithin) {
        this.service = service;
        this.gate = gate;
        this.guard = guard;
        this.executionWithin = executionWithin;
        this.metrics = metrics;
    }

    ServerServiceDefinition definition() {
        ServerServiceDefinition.Builder definition =
                ServerServiceDefinition.builder(DatastoreMethod.SERVICE);
        for (DatastoreMethod method : DatastoreMethod.values()) {
            definition.addMethod(
                    ByteMessages.method(method.fullName()),
                    (call, headers) -> new Listener(method, call, headers).start());
        }
        return definition.build();
    }

    /** One call, from its headers to its status. */
    private final class Listener extends ServerCall.Listener<byte[]> {
        private final DatastoreMethod method;
        private final ServerCall<byte[], byte[]> call;
        private final Metadata headers;
        private final AccessAttempt attempt;
        private final RequestMetrics.Running running;
        private final AtomicBoolean answered = new AtomicBoolean();
        private final GrpcIntake.@Nullable Arrival arrival = GrpcIntake.current();
        private final Cancellation cancellation;
        private byte @Nullable [] request;

        Listener(DatastoreMethod method, ServerCall<byte[], byte[]> call, Metadata headers) {
            this.method = method;
            this.call = call;
            this.headers = headers;
            this.attempt = gate.attempt(call, method.rpcName());
            this.running =
                    metrics.begin(
                            method, RequestMetrics.Wire.GRPC, headers.get(TRACEPARENT), attempt);
            this.cancellation = Cancellation.after(timeoutNanos());
        }

        /**
         * Requests the message only if the headers are authenticated, so that unauthenticated
         * clients fill no buffers.
         */
        Listener start() {
            try {
                admit();
            } catch (PetrichorException refused) {
                fail(refused);
                return this;
            }
            if (arrival != null) {
                arrival.watch(this::fail);
            }
            call.request(1);
            return this;
        }

        private void admit() {
            attempt.admit(gate.caller(attempt, headers));
            attempt.require(method.role());
            String origin = headers.get(ORIGIN);
            if (origin != null) {
                guard.checkOrigin(origin, call.getAuthority());
            }
        }

        private long timeoutNanos() {
            Deadline deadline = Context.current().getDeadline();
            long most = executionWithin.toNanos();
            return deadline == null
                    ? most
                    : Math.min(most, deadline.timeRemaining(TimeUnit.NANOSECONDS));
        }

        @Override
        public void onMessage(byte[] message) {
            request = message;
        }

        @Override
        @SuppressWarnings(
                "ReferenceEquality") // a marker, compared by identity with an empty message
        public void onHalfClose() {
            byte[] bytes = request;
            request = null;
            try {
                if (arrival != null) {
                    arrival.complete();
                }
                if (bytes == ByteMessages.TOO_LARGE) {
                    throw PetrichorException.of(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "the request is larger than limits.request-bytes-max once it is"
                                    + " unpacked; split it");
                }
                if (bytes == null) {
                    throw PetrichorException.invalid(
                            "{rpcName} requires exactly one message, but none was sent",
                            "rpcName",
                            method.rpcName());
                }
                running.received(bytes.length);
                RequestHead head = service.head(method, bytes);
                running.about(head);
                head.authorize(attempt);
                var _ =
                        service.call(method, head, bytes, cancellation, running.trace())
                                .whenComplete(this::answer);
            } catch (RuntimeException refused) {
                fail(refused);
            }
        }

        private void answer(byte @Nullable [] response, @Nullable Throwable failure) {
            if (failure != null) {
                fail(failure);
            } else if (response != null
                    && hasCapacity(response)
                    && answered.compareAndSet(false, true)) {
                try {
                    Metadata trailers = new Metadata();
                    Metadata leaders = new Metadata();
                    Trace trace = running.trace();
                    if (trace != null && trace.received()) {
                        leaders.put(TRACEPARENT, trace.traceparent());
                    }
                    call.sendHeaders(leaders);
                    call.sendMessage(response);
                    call.close(io.grpc.Status.OK, trailers);
                    running.succeeded(response.length);
                } catch (IllegalStateException gone) {
                    running.cancelled();
                }
            }
        }

        /** A commit that succeeded must not fail because its response does not fit into memory. */
        private boolean hasCapacity(byte[] response) {
            if (arrival != null && method.onlyReads()) {
                try {
                    arrival.respond(response.length);
                } catch (PetrichorException exhausted) {
                    fail(exhausted);
                    return false;
                }
            }
            return true;
        }

        private void fail(Throwable thrown) {
            if (!answered.compareAndSet(false, true)) {
                return;
            }
            Trace known = running.trace();
            Trace trace = known == null ? Trace.of(null) : known;
            Failure failure = Failure.of(thrown, trace);
            Metadata trailers = new Metadata();
            if (trace.received()) {
                trailers.put(TRACEPARENT, trace.traceparent());
            }
            try {
                call.close(
                        io.grpc.Status.fromCodeValue(failure.number())
                                .withDescription(failure.text()),
                        trailers);
            } catch (IllegalStateException gone) {
                // the client disconnected before its error was sent
            }
            running.failed(thrown);
        }

        @Override
        public void onCancel() {
            cancellation.cancel();
            if (answered.compareAndSet(false, true)) {
                running.cancelled();
            }
        }
    }
}
