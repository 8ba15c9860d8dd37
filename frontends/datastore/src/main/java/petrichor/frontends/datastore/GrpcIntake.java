package petrichor.frontends.datastore;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerStreamTracer;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.rpc.PeerMethods;

/**
 * Limits the memory and time of gRPC calls while their requests arrive: its bytes are charged to
 * the budget that all connections share until the call ends, and it must arrive as a whole in time.
 * gRPC reports every chunk to a tracer long before a call's listener gets the message.
 */
final class GrpcIntake extends ServerStreamTracer.Factory {
    private static final Context.Key<Arrival> ARRIVAL = Context.key("petrichor-arrival");

    /** What all calls of one connection hold. */
    private static final Attributes.Key<ConnectionBudget> CONNECTION =
            Attributes.Key.create("petrichor-connection");

    /** What all calls hold that another server forwards on one connection. */
    private static final Attributes.Key<ConnectionBudget> PEER =
            Attributes.Key.create("petrichor-peer");

    private final RequestBudget budget;
    private final Duration requestWithin;
    private final Executor executor;
    private final Set<Arrival> arriving = ConcurrentHashMap.newKeySet();

    /**
     * @param executor runs refusals, which must not happen inside gRPC's own callbacks
     */
    GrpcIntake(RequestBudget budget, Duration requestWithin, Executor executor) {
        this.budget = budget;
        this.requestWithin = requestWithin;
        this.executor = executor;
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return switch (method) {
            // A stream between servers never arrives as a whole; what it takes is bounded by
            // itself.
            case PeerMethods.EXCHANGE -> new ServerStreamTracer() {};
            case PeerMethods.FORWARD -> new Arrival(Sender.PEER);
            case String _ -> new Arrival(Sender.CLIENT);
        };
    }

    /** On whose connection a call arrives. */
    private enum Sender {
        CLIENT,
        /** One connection carries the large calls of all clients of another server. */
        PEER
    }

    /**
     * Applies the limits of arrival to services that know nothing of them: what other servers
     * forward as single calls.
     *
     * @param onlyReads whether a call may be refused when there is no memory for its response
     */
    ServerInterceptor bounded(Predicate<Metadata> onlyReads) {
        return new ServerInterceptor() {
            @Override
            public <Q, S> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, S> call, Metadata headers, ServerCallHandler<Q, S> next) {
                Arrival arrival = current();
                return arrival == null
                        ? next.startCall(call, headers)
                        : BoundedCall.start(call, headers, next, arrival, onlyReads.test(headers));
            }
        };
    }

    /** Gives every connection a part of the budget of its own. */
    ServerTransportFilter connections() {
        return new ServerTransportFilter() {
            @Override
            public Attributes transportReady(Attributes attributes) {
                return attributes.toBuilder()
                        .set(CONNECTION, budget.connection())
                        .set(PEER, budget.peer())
                        .build();
            }
        };
    }

    /** The arrival of the request whose call is being started on this thread. */
    static @Nullable Arrival current() {
        return ARRIVAL.get();
    }

    /** Refuses what has been arriving for too long; to be called every now and then. */
    void sweep() {
        long now = System.nanoTime();
        for (Arrival arrival : arriving) {
            if (now - arrival.begun > requestWithin.toNanos()) {
                arrival.refuse(
                        PetrichorException.of(
                                ErrorCode.DEADLINE_EXCEEDED,
                                "the request did not arrive as a whole within {requestWithin} s"
                                        + " (limits.request-timeout)",
                                "requestWithin",
                                requestWithin.toSeconds()));
            }
        }
    }

    /** One call's request on its way in. */
    final class Arrival extends ServerStreamTracer {
        private final Sender sender;
        private final long begun = System.nanoTime();
        private final RequestBudget.Share share = budget.share();
        private long packed;
        private long unpacked;
        private @Nullable Consumer<Throwable> refusal;
        private @Nullable PetrichorException refused;
        private boolean complete;
        private volatile @Nullable ConnectionBudget connection;
        private final List<MemoryBudget.Reservation> responses = new ArrayList<>();
        private boolean closed;

        private Arrival(Sender sender) {
            this.sender = sender;
        }

        @Override
        public void serverCallStarted(ServerCallInfo<?, ?> call) {
            connection =
                    call.getAttributes()
                            .get(
                                    switch (sender) {
                                        case CLIENT -> CONNECTION;
                                        case PEER -> PEER;
                                    });
            if (connection != null) {
                share.on(connection);
            }
        }

        /** From here on the request may be refused through {@code refusal}. */
        void watch(Consumer<Throwable> how) {
            arriving.add(this);
            PetrichorException already;
            synchronized (this) {
                refusal = how;
                already = refused;
            }
            if (already != null) {
                tell(how, already);
            }
        }

        /**
         * The request is complete and can no longer be refused. Throws if it was refused before: a
         * client that knows that nothing was done may repeat the request, so it must not run.
         */
        void complete() {
            arriving.remove(this);
            synchronized (this) {
                if (refused != null) {
                    throw refused;
                }
                complete = true;
            }
        }

        @Override
        public Context filterContext(Context context) {
            return context.withValue(ARRIVAL, this);
        }

        @Override
        public void inboundWireSize(long bytes) {
            long before = Math.max(packed, unpacked);
            packed += bytes;
            charge(Math.max(packed, unpacked) - before);
        }

        @Override
        public void inboundUncompressedSize(long bytes) {
            long before = Math.max(packed, unpacked);
            unpacked += bytes;
            charge(Math.max(packed, unpacked) - before);
        }

        private void charge(long more) {
            if (more > 0) {
                PetrichorException refusal = share.charge(Math.toIntExact(more));
                if (refusal != null) {
                    refuse(refusal);
                }
            }
        }

        private void refuse(PetrichorException why) {
            arriving.remove(this);
            Consumer<Throwable> how;
            synchronized (this) {
                if (complete || refused != null) {
                    return;
                }
                refused = why;
                how = refusal;
            }
            if (how != null) {
                tell(how, why);
            }
        }

        private void tell(Consumer<Throwable> how, PetrichorException why) {
            arriving.remove(this);
            executor.execute(() -> how.accept(why));
        }

        /**
         * A response is sent: it counts until the client has taken it. UNAVAILABLE if it cannot.
         */
        void respond(int bytes) {
            ConnectionBudget known = connection;
            if (known != null) {
                hold(known.response(bytes));
            }
            hold(budget.response(bytes));
        }

        private void hold(MemoryBudget.Reservation response) {
            synchronized (this) {
                if (!closed) {
                    responses.add(response);
                    return;
                }
            }
            response.close();
        }

        @Override
        public void streamClosed(Status status) {
            arriving.remove(this);
            share.close();
            synchronized (this) {
                closed = true;
                responses.forEach(MemoryBudget.Reservation::close);
                responses.clear();
            }
        }
    }
}
