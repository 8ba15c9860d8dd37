package petrichor.frontends.datastore;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.transactions.NotSequencedHere;

/**
 * The eight methods over gRPC. Messages pass gRPC as byte arrays: requests are parsed here, so that
 * a malformed one gets a proper answer, and responses are sent as they were encoded. Callbacks run
 * on the network threads and do nothing that waits.
 */
final class GrpcService {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Metadata.Key<String> TRACEPARENT =
            Metadata.Key.of(Trace.HEADER, Metadata.ASCII_STRING_MARSHALLER);
    private final Dispatcher dispatcher;
    private final Gate gate;
    private final @Nullable String peerToken;
    private final RequestMetrics metrics;

    /**
     * @param peerToken what servers must send that send calls on
     */
    GrpcService(
            Dispatcher dispatcher, Gate gate, @Nullable String peerToken, RequestMetrics metrics) {
        this.dispatcher = dispatcher;
        this.gate = gate;
        this.peerToken = peerToken;
        this.metrics = metrics;
    }

    ServerServiceDefinition definition() {
        ServerServiceDefinition.Builder definition =
                ServerServiceDefinition.builder(DatastoreMethod.SERVICE);
        for (DatastoreMethod method : DatastoreMethod.values()) {
            definition.addMethod(
                    ByteMessages.method(method.fullName()),
                    (call, headers) -> new Listener(method, call, headers));
        }
        return definition.build();
    }

    /** One call, from its headers to its status. */
    private final class Listener extends ServerCall.Listener<byte[]> {
        private final DatastoreMethod method;
        private final ServerCall<byte[], byte[]> call;
        private final Metadata headers;
        private final RequestMetrics.Running running;
        private final AtomicBoolean answered = new AtomicBoolean();
        private final GrpcIntake.@Nullable Arrival arrival = GrpcIntake.current();
        private byte @Nullable [] request;

        Listener(DatastoreMethod method, ServerCall<byte[], byte[]> call, Metadata headers) {
            this.method = method;
            this.call = call;
            this.headers = headers;
            this.running = metrics.begin(method, RequestMetrics.Wire.GRPC, this::trace);
            if (arrival != null) {
                arrival.watch(this::fail);
            }
            call.request(1);
        }

        @Override
        public void onMessage(byte[] message) {
            request = message;
        }

        @Override
        public void onHalfClose() {
            byte[] bytes = request;
            request = null;
            try {
                if (arrival != null) {
                    arrival.complete();
                }
                gate.check(headers.get(AUTHORIZATION));
                boolean forwarded = headers.containsKey(Peers.FORWARDED);
                if (forwarded) {
                    Peers.admit(peerToken, headers);
                }
                if (bytes == null) {
                    throw PetrichorException.invalid(
                            method.rpcName() + " takes exactly one message and none came");
                }
                running.received(bytes.length);
                var _ =
                        dispatcher
                                .dispatch(method, method.parse(bytes), () -> bytes, forwarded)
                                .whenComplete(this::answer);
            } catch (RuntimeException refused) {
                fail(refused);
            }
        }

        private void answer(byte @Nullable [] response, @Nullable Throwable failure) {
            if (failure != null) {
                fail(failure);
            } else if (response != null && answered.compareAndSet(false, true)) {
                try {
                    Metadata trailers = new Metadata();
                    Metadata leaders = new Metadata();
                    Trace trace = trace();
                    if (trace != null) {
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

        private void fail(Throwable thrown) {
            if (!answered.compareAndSet(false, true)) {
                return;
            }
            Trace known = trace();
            Trace trace = known == null ? Trace.of(null) : known;
            Failure failure = Failure.of(thrown, trace);
            Metadata trailers = new Metadata();
            if (Failure.cause(thrown) instanceof NotSequencedHere) {
                trailers.put(Peers.NOT_MINE, "nothing was done");
            }
            if (trace.received()) {
                trailers.put(TRACEPARENT, trace.traceparent());
            }
            try {
                call.close(
                        io.grpc.Status.fromCodeValue(failure.number())
                                .withDescription(failure.text()),
                        trailers);
            } catch (IllegalStateException gone) {
                // the client left before its error came; there is nobody to tell
            }
            running.failed(failure.code());
        }

        private @Nullable Trace trace() {
            String traceparent = headers.get(TRACEPARENT);
            return traceparent == null ? null : Trace.of(traceparent);
        }

        @Override
        public void onCancel() {
            if (answered.compareAndSet(false, true)) {
                running.cancelled();
            }
        }
    }
}
