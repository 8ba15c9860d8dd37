package petrichor.rpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;

/** A large call that another server forwarded as a separate gRPC call, outside its stream. */
final class ArrivedLargeCall extends ServerCall.Listener<byte[]> {
    private final ServerCall<byte[], byte[]> call;
    private final ArrivedCalls calls;
    private final String method;
    private final @Nullable String traceparent;
    private final Cancellation cancellation;
    private final AtomicBoolean answered = new AtomicBoolean();
    private byte @Nullable [] body;

    ArrivedLargeCall(ServerCall<byte[], byte[]> call, Metadata headers, ArrivedCalls calls) {
        this.call = call;
        this.calls = calls;
        String named = headers.get(PeerMethods.METHOD);
        this.method = named == null ? "" : named;
        this.traceparent = headers.get(PeerMethods.TRACEPARENT);
        this.cancellation = calls.cancellation();
    }

    @Override
    public void onMessage(byte[] message) {
        body = message;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // a marker, not an empty message
    public void onHalfClose() {
        byte[] bytes = body;
        body = null;
        if (bytes == ByteMessages.TOO_LARGE) {
            fail(
                    PetrichorException.of(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "the request is larger than limits.request-bytes-max once it is"
                                    + " unpacked; split it"));
            return;
        }
        if (bytes == null) {
            fail(PetrichorException.invalid("a forwarded call has no message"));
            return;
        }
        var _ =
                calls.execute(new RoutedService.Forwarded(method, bytes, cancellation, traceparent))
                        .whenComplete(this::answer);
    }

    private void answer(byte @Nullable [] response, @Nullable Throwable failure) {
        if (response == null || failure != null) {
            fail(failure == null ? new IllegalStateException("no response") : failure);
        } else if (answered.compareAndSet(false, true)) {
            try {
                call.sendHeaders(new Metadata());
                call.sendMessage(response);
                call.close(Status.OK, new Metadata());
            } catch (IllegalStateException gone) {
                // The other server has cancelled the call.
            }
        }
    }

    private void fail(Throwable thrown) {
        if (!answered.compareAndSet(false, true)) {
            return;
        }
        CallFailure failure = CallFailure.of(thrown, Trace.of(traceparent));
        Metadata trailers = new Metadata();
        trailers.put(PeerMethods.EXECUTED, "");
        if (CallFailure.cause(thrown) instanceof NotOwner) {
            trailers.put(PeerMethods.NOT_OWNER, "");
        }
        try {
            call.close(
                    Status.fromCodeValue(failure.number()).withDescription(failure.text()),
                    trailers);
        } catch (IllegalStateException gone) {
            // The other server has cancelled the call.
        }
    }

    @Override
    public void onCancel() {
        answered.set(true);
        cancellation.cancel();
    }
}
