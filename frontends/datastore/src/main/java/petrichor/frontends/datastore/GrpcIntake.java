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
 * Limits memory and time of gRPC calls while their requests arrive: the bytes of a request are
 * charged to the shared budget until the call ends, and the request must arrive completely in time.
 * Implemented as a tracer, because gRPC reports every chunk to it long before a call's listener
 * receives the message.
 */
final class GrpcIntake extends ServerStreamTracer.Factory {
    private static final Context.Key<Arrival> ARRIVAL = Context.key("petrichor-arrival");

    /** Budget of the calls on one connection. */
    private static final Attributes.Key<ConnectionBudget> CONNECTION =
            Attributes.Key.create("petrichor-connection");

    /** Budget of the calls that another server forwards on one connection. */
    private static final Attributes.Key<ConnectionBudget> PEER =
            Attributes.Key.create("petrichor-peer");

    private final RequestBudget budget;
    private final Duration requestWithin;
    private final Executor executor;
    private final Set<Arrival> arriving = ConcurrentHashMap.newKeySet();

    /**
     * @param executor runs refusals, which must not run inside gRPC's callbacks
     */
    GrpcIntake(RequestBudget budget, Duration requestWithin, Executor executor) {
        this.budget = budget;
        this.requestWithin = requestWithin;
        this.executor = executor;
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return switch (method) {
            // A stream between servers never ends; it limits its own memory.
            case PeerMethods.EXCHANGE -> new ServerStreamTracer() {};
            case PeerMethods.FORWARD -> new Arrival(Sender.PEER);
            case String _ -> new Arrival(Sender.CLIENT);
        };
    }

    /** The kind of connection on which a call arrives. */
    private enum Sender {
        CLIENT,
        /** A connection of another server, which carries the large calls of all its clients. */
        PEER
    }

    /**
     * Applies the arrival limits to services that do not use this class: calls that other servers
     * forward individually.
     *
     * @param onlyReads whether a call may be refused if its response does not fit into memory
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

    /** Assigns each connection its own share of the budget. */
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

    /** The arrival of the request whose call is being started on the current thread. */
    static @Nullable Arrival current() {
        return ARRIVAL.get();
    }

    /** Refuses requests that have been arriving for too long; call it at regular intervals. */
    void sweep() {
        long now = System.nanoTime();
        for (Arrival arrival : arriving) {
            if (now - arrival.started > requestWithin.toNanos()) {
                arrival.refuse(
                        PetrichorException.of(
                                ErrorCode.DEADLINE_EXCEEDED,
                                "the request did not arrive as a whole within {seconds} s"
                                        + " (limits.request-timeout)",
                                "seconds",
                                requestWithin.toSeconds()));
            }
        }
    }

    /** The arrival of one call's request. */
    final class Arrival extends ServerStreamTracer {
        private final Sender sender;
        private final long started = System.nanoTime();
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

        /** From now on the request may be refused through {@code refusal}. */
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
         * Marks the request as complete; it can no longer be refused. Throws if it was refused
         * before: the client may already retry it, so it must not run.
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
         * Charges a response until the client has read it. UNAVAILABLE if it does not fit into the
         * budget.
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
