package petrichor.frontends.datastore;

import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import petrichor.base.PetrichorException;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;

/**
 * Enforces limits on calls of services that do not use {@link GrpcIntake} themselves: a call is
 * refused while its request arrives if it takes too much memory or time, or later if its response
 * does not fit into memory. Ends exactly once.
 */
final class BoundedCall<Q, S> extends ForwardingServerCall.SimpleForwardingServerCall<Q, S> {
    private final GrpcIntake.Arrival arrival;
    private final boolean onlyReads;
    private final AtomicBoolean ended = new AtomicBoolean();

    private BoundedCall(ServerCall<Q, S> call, GrpcIntake.Arrival arrival, boolean onlyReads) {
        super(call);
        this.arrival = arrival;
        this.onlyReads = onlyReads;
    }

    /**
     * @param onlyReads whether the call changes nothing, so that it may be refused even when its
     *     response is ready
     */
    static <Q, S> ServerCall.Listener<Q> start(
            ServerCall<Q, S> call,
            Metadata headers,
            ServerCallHandler<Q, S> next,
            GrpcIntake.Arrival arrival,
            boolean onlyReads) {
        BoundedCall<Q, S> bounded = new BoundedCall<>(call, arrival, onlyReads);
        arrival.watch(bounded::refuse);
        return new ForwardingServerCallListener.SimpleForwardingServerCallListener<>(
                next.startCall(bounded, headers)) {
            @Override
            public void onHalfClose() {
                try {
                    arrival.complete();
                } catch (PetrichorException refused) {
                    bounded.refuse(refused);
                    return;
                }
                super.onHalfClose();
            }
        };
    }

    private void refuse(Throwable why) {
        if (ended.compareAndSet(false, true)) {
            CallFailure failure = CallFailure.of(why, Trace.of(null));
            try {
                super.close(
                        Status.fromCodeValue(failure.number()).withDescription(failure.text()),
                        new Metadata());
            } catch (IllegalStateException gone) {
                // The caller has cancelled.
            }
        }
    }

    @Override
    public void sendMessage(S message) {
        if (onlyReads && message instanceof byte[] response) {
            try {
                arrival.respond(response.length);
            } catch (PetrichorException exhausted) {
                refuse(exhausted);
            }
        }
        if (!ended.get()) {
            super.sendMessage(message);
        }
    }

    @Override
    public void close(Status status, Metadata trailers) {
        if (ended.compareAndSet(false, true)) {
            super.close(status, trailers);
        }
    }
}
