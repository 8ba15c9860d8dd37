package petrichor.frontends.datastore;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.PetrichorException;
import petrichor.transactions.NotSequencedHere;

/**
 * The end of other servers' streams: calls of the API that they send on, and what they ask
 * themselves. Callbacks run on the network threads and do nothing that waits. A stream lasts as
 * long as both servers do; when it breaks, the calls that run are cancelled, since nobody would
 * hear of their answers. Commits that the committer has taken are finished.
 */
final class PeerService {
    private static final byte[] NOTHING = {};

    /** Calls of one server that run at the same time; more are refused. */
    private static final int CALLS_MAX = 10_000;

    private static final Map<String, DatastoreMethod> METHODS =
            Arrays.stream(DatastoreMethod.values())
                    .collect(Collectors.toUnmodifiableMap(DatastoreMethod::fullName, one -> one));

    private final Dispatcher dispatcher;
    private final Authenticator gate;
    private final Peers peers;
    private final RequestMetrics metrics;
    private final RequestParser parser;
    private final Duration executionWithin;
    private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
    private volatile boolean closing;

    /**
     * @param executionWithin after this a call is given up
     */
    PeerService(
            Dispatcher dispatcher,
            Authenticator gate,
            Peers peers,
            RequestMetrics metrics,
            RequestParser parser,
            Duration executionWithin) {
        this.dispatcher = dispatcher;
        this.gate = gate;
        this.peers = peers;
        this.metrics = metrics;
        this.parser = parser;
        this.executionWithin = executionWithin;
    }

    ServerServiceDefinition definition() {
        return ServerServiceDefinition.builder(
                        PeerMessages.METHOD.substring(0, PeerMessages.METHOD.indexOf('/')))
                .addMethod(PeerMessages.stream(), this::open)
                .build();
    }

    private ServerCall.Listener<byte[]> open(ServerCall<byte[], byte[]> call, Metadata headers) {
        try {
            peers.admit(headers, () -> gate.caller(headers));
        } catch (PetrichorException stranger) {
            call.close(
                    Status.UNAUTHENTICATED.withDescription(stranger.getMessage()), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        Stream stream = new Stream(call);
        streams.add(stream);
        call.sendHeaders(new Metadata());
        call.request(1);
        if (closing) {
            stream.endIfQuiet();
        }
        return stream;
    }

    /** Takes no calls any more, and ends each stream when those that run are answered. */
    void close() {
        closing = true;
        streams.forEach(Stream::endIfQuiet);
    }

    /** From one other server. */
    private final class Stream extends ServerCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> call;
        private final PeerOutbox<PeerMessages.Reply> outbox;
        private final AtomicInteger running = new AtomicInteger();
        private final Map<Long, Cancellation> cancellable = new ConcurrentHashMap<>();
        private final Object ending = new Object();
        private boolean ended;

        Stream(ServerCall<byte[], byte[]> call) {
            this.call = call;
            this.outbox =
                    new PeerOutbox<>(
                            PeerMessages.Reply::size,
                            call::isReady,
                            replies -> send(PeerMessages.encodeReplies(replies)));
        }

        private void send(byte[] replies) {
            synchronized (ending) {
                if (!ended) {
                    call.sendMessage(replies);
                }
            }
        }

        @Override
        public void onMessage(byte[] message) {
            try {
                for (PeerMessages.Call one : PeerMessages.decodeCalls(message)) {
                    carryOut(one);
                }
            } catch (PetrichorException malformed) {
                end(Status.INVALID_ARGUMENT.withDescription(malformed.getMessage()));
                return;
            }
            call.request(1);
        }

        private void carryOut(PeerMessages.Call one) {
            if (one.method().equals(PeerMessages.CANCEL)) {
                Cancellation left = cancellable.remove(one.id());
                if (left != null) {
                    left.cancel();
                }
                return;
            }
            if (closing) {
                reply(one.id(), PeerMessages.NOT_MINE, NOTHING);
                return;
            }
            if (running.incrementAndGet() > CALLS_MAX) {
                running.decrementAndGet();
                fail(one.id(), Dispatcher.overloaded(), null);
                return;
            }
            Function<byte[], CompletableFuture<byte[]>> question =
                    peers.questions().get(one.method());
            DatastoreMethod method = METHODS.get(one.method());
            if (question != null) {
                answerWith(one, () -> question.apply(one.request()), null);
            } else if (method == null) {
                answerWith(
                        one,
                        () -> {
                            throw PetrichorException.invalid(
                                    "this server has no method "
                                            + one.method()
                                            + "; do all servers run the same version?");
                        },
                        null);
            } else {
                RequestMetrics.Running request =
                        metrics.begin(method, RequestMetrics.Wire.GRPC, () -> null, null);
                request.received(one.request().length);
                answerWith(one, () -> carryOut(method, one), request);
            }
        }

        /** The server that the client talks to keeps its deadline, and cancels the call then. */
        private CompletableFuture<byte[]> carryOut(DatastoreMethod method, PeerMessages.Call one) {
            Cancellation cancellation = Cancellation.after(executionWithin.toNanos());
            cancellable.put(one.id(), cancellation);
            return parser.parsed(
                            method,
                            one.request(),
                            message ->
                                    dispatcher.dispatch(
                                            method, message, one::request, true, cancellation))
                    .whenComplete((_, _) -> cancellable.remove(one.id()));
        }

        private void answerWith(
                PeerMessages.Call one,
                Supplier<CompletableFuture<byte[]>> work,
                RequestMetrics.@Nullable Running request) {
            CompletableFuture<byte[]> answer;
            try {
                answer = work.get();
            } catch (RuntimeException refused) {
                cancellable.remove(one.id());
                answer = CompletableFuture.failedFuture(refused);
            }
            var _ =
                    answer.whenComplete(
                            (body, failure) -> {
                                if (failure == null) {
                                    reply(one.id(), PeerMessages.ANSWERED, body);
                                    if (request != null) {
                                        request.succeeded(body.length);
                                    }
                                } else {
                                    fail(one.id(), failure, request);
                                }
                                running.decrementAndGet();
                                if (closing) {
                                    endIfQuiet();
                                }
                            });
        }

        private void fail(long id, Throwable thrown, RequestMetrics.@Nullable Running request) {
            Failure failure = Failure.of(thrown, Trace.of(null));
            if (Failure.cause(thrown) instanceof NotSequencedHere) {
                reply(id, PeerMessages.NOT_MINE, NOTHING);
            } else {
                reply(id, failure.number(), failure.text().getBytes(StandardCharsets.UTF_8));
            }
            if (request != null) {
                request.failed(failure.code());
            }
        }

        private void reply(long id, int outcome, byte[] body) {
            outbox.add(new PeerMessages.Reply(id, outcome, body));
        }

        @Override
        public void onReady() {
            outbox.flush();
            if (closing) {
                endIfQuiet();
            }
        }

        void endIfQuiet() {
            if (running.get() == 0 && outbox.isEmpty()) {
                end(Status.OK);
            }
        }

        private void end(Status status) {
            synchronized (ending) {
                if (!ended) {
                    ended = true;
                    call.close(status, new Metadata());
                }
            }
            streams.remove(this);
        }

        @Override
        public void onHalfClose() {
            end(Status.OK);
        }

        @Override
        public void onCancel() {
            synchronized (ending) {
                ended = true;
            }
            streams.remove(this);
            cancellable.values().forEach(Cancellation::cancel);
        }

        @Override
        public void onComplete() {
            streams.remove(this);
        }
    }
}
