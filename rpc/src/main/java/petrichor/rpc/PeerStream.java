package petrichor.rpc;

import com.google.protobuf.UnsafeByteOperations;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.rpc.v1.Call;
import petrichor.rpc.v1.Calls;
import petrichor.rpc.v1.Replies;

/**
 * Multiplexes calls to one peer over one long-lived stream: calls are short, and a separate gRPC
 * call for each would cost both servers several times as much. Sends nothing before the peer has
 * chosen a version of the protocol. When the stream breaks, unsent calls have not been executed;
 * the outcome of the others is unknown. Thread-safe; responses arrive on network threads.
 */
final class PeerStream extends ClientCall.Listener<Replies> {
    /** A pending call. */
    private static final class Waiting {
        private final CompletableFuture<Reply> reply = new CompletableFuture<>();
        private volatile boolean sent;
    }

    private final PeerFailure failures;
    private final ClientCall<Calls, Replies> stream;
    private final ProtocolVersions versions;
    private final PeerOutbox<Call> outbox;
    private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();

    /** Cancelled calls until their answers arrive. */
    private final Map<Long, RoutedCall> cancelled = new ConcurrentHashMap<>();

    private final AtomicLong ids = new AtomicLong();
    private volatile boolean agreed;
    private volatile boolean ended;

    private PeerStream(
            PeerFailure failures, ClientCall<Calls, Replies> stream, ProtocolVersions versions) {
        this.failures = failures;
        this.stream = stream;
        this.versions = versions;
        this.outbox =
                new PeerOutbox<>(
                        Call::getSerializedSize, () -> agreed && stream.isReady(), this::send);
    }

    /**
     * Does not wait for the peer.
     *
     * @param headers offer these versions
     */
    static PeerStream open(
            PeerFailure failures,
            ClientCall<Calls, Replies> stream,
            Metadata headers,
            ProtocolVersions versions) {
        PeerStream opened = new PeerStream(failures, stream, versions);
        stream.start(opened, headers);
        stream.request(1);
        return opened;
    }

    boolean ended() {
        return ended;
    }

    /** Number of pending calls. */
    int underWay() {
        return waiting.size();
    }

    /** The future does not fail. */
    CompletableFuture<Reply> call(RoutedCall call, byte[] body) {
        long id = ids.incrementAndGet();
        Call.Builder message =
                Call.newBuilder()
                        .setId(id)
                        .setMethod(call.method())
                        .setBody(UnsafeByteOperations.unsafeWrap(body));
        String traceparent = call.traceparent();
        if (traceparent != null) {
            message.setTraceparent(traceparent);
        }
        Waiting mine = new Waiting();
        waiting.put(id, mine);
        outbox.add(message.build());
        if (ended && waiting.remove(id) != null) {
            mine.reply.complete(mine.sent ? failures.broken("ended") : failures.unreached());
        }
        call.cancellation().onCancel(() -> giveUp(id, call));
        return mine.reply;
    }

    /** The peer stops working on the call when the client disconnects. */
    private void giveUp(long id, RoutedCall call) {
        cancelled.put(id, call);
        Waiting one = waiting.remove(id);
        if (one == null || ended) {
            cancelled.remove(id);
        }
        if (one != null) {
            outbox.add(Call.newBuilder().setId(id).setCancel(true).build());
            one.reply.complete(failures.cancelled());
        }
    }

    private void send(List<Call> calls) {
        Calls.Builder living = Calls.newBuilder();
        for (Call call : calls) {
            Waiting one = waiting.get(call.getId());
            if (one != null) {
                one.sent = true;
                living.addCalls(call);
            } else if (call.getCancel()) {
                living.addCalls(call);
            } else {
                cancelled.remove(call.getId());
            }
        }
        if (living.getCallsCount() > 0 && !ended) {
            stream.sendMessage(living.build());
        }
    }

    @Override
    public void onHeaders(Metadata headers) {
        String chosen = headers.get(ProtocolVersions.CHOSEN);
        if (versions.include(chosen)) {
            agreed = true;
            outbox.flush();
        } else {
            stream.cancel("the server chose the protocol version " + chosen, null);
        }
    }

    @Override
    public void onReady() {
        outbox.flush();
    }

    @Override
    public void onMessage(Replies replies) {
        for (petrichor.rpc.v1.Reply reply : replies.getRepliesList()) {
            Waiting one = waiting.remove(reply.getId());
            RoutedCall late = cancelled.remove(reply.getId());
            if (one != null) {
                one.reply.complete(
                        switch (reply.getOutcomeCase()) {
                            case ANSWER -> new Reply.Answer(ByteMessages.array(reply.getAnswer()));
                            case NOT_OWNER -> failures.notOwner();
                            case FAILURE ->
                                    failures.reported(
                                            reply.getFailure().getCode(),
                                            reply.getFailure().getText());
                            case OUTCOME_NOT_SET ->
                                    failures.broken("its reply has an unknown outcome");
                        });
            } else if (late != null && reply.hasAnswer()) {
                late.answeredLate(ByteMessages.array(reply.getAnswer()));
            }
        }
        stream.request(1);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        ended = true;
        cancelled.clear();
        for (Long id : List.copyOf(waiting.keySet())) {
            Waiting one = waiting.remove(id);
            if (one != null) {
                one.reply.complete(unanswered(status, one.sent));
            }
        }
    }

    private Reply unanswered(Status status, boolean sent) {
        if (status.getCode() == Status.Code.UNAUTHENTICATED) {
            return failures.of(status);
        }
        String why = status.getDescription() == null ? status.toString() : status.getDescription();
        if (sent) {
            return PeerFailure.neverReached(status)
                    ? failures.unreached(status)
                    : failures.broken(why);
        }
        return PeerFailure.refused(status)
                ? failures.incompatible(why)
                : failures.unreached(status);
    }
}
