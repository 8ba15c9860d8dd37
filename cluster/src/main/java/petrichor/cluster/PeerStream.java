package petrichor.cluster;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.Cancellation;
import petrichor.frontends.datastore.PeerMessages;
import petrichor.frontends.datastore.PeerOutbox;

/**
 * Calls to one other server, over one stream that lasts: a call on a stream of its own costs both
 * servers several times as much, and they are short. When the stream breaks, calls that were not
 * sent have not been executed; the outcome of the others is unknown. Safe for any thread; answers
 * come on network threads.
 */
final class PeerStream extends ClientCall.Listener<byte[]> {
    private static final byte[] NOTHING = {};

    /** A call on its way. */
    private static final class Waiting {
        private final CompletableFuture<Reply> reply = new CompletableFuture<>();
        private volatile boolean sent;
    }

    private final PeerFailure failures;
    private final ClientCall<byte[], byte[]> stream;
    private final PeerOutbox<PeerMessages.Call> outbox;
    private final Map<Long, Waiting> waiting = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    private volatile boolean ended;

    private PeerStream(PeerFailure failures, ClientCall<byte[], byte[]> stream) {
        this.failures = failures;
        this.stream = stream;
        this.outbox = new PeerOutbox<>(PeerMessages.Call::size, stream::isReady, this::send);
    }

    /** Does not wait for the other server. */
    static PeerStream open(
            PeerFailure failures, ClientCall<byte[], byte[]> stream, Metadata headers) {
        PeerStream opened = new PeerStream(failures, stream);
        stream.start(opened, headers);
        stream.request(1);
        return opened;
    }

    boolean ended() {
        return ended;
    }

    /** Calls without an answer yet. */
    int underWay() {
        return waiting.size();
    }

    /**
     * The future does not fail.
     *
     * @param cancellation the other server stops working on the call when the client leaves
     */
    CompletableFuture<Reply> call(String method, byte[] request, Cancellation cancellation) {
        long id = ids.incrementAndGet();
        Waiting mine = new Waiting();
        waiting.put(id, mine);
        outbox.add(new PeerMessages.Call(id, method, request));
        if (ended && waiting.remove(id) != null) {
            mine.reply.complete(mine.sent ? failures.broken("ended") : failures.unreached());
        }
        cancellation.onCancel(() -> giveUp(id));
        return mine.reply;
    }

    private void giveUp(long id) {
        Waiting one = waiting.remove(id);
        if (one != null) {
            outbox.add(new PeerMessages.Call(id, PeerMessages.CANCEL, NOTHING));
            one.reply.complete(failures.cancelled());
        }
    }

    private void send(List<PeerMessages.Call> calls) {
        List<PeerMessages.Call> living = new ArrayList<>();
        for (PeerMessages.Call call : calls) {
            Waiting one = waiting.get(call.id());
            if (one != null) {
                one.sent = true;
                living.add(call);
            } else if (call.method().equals(PeerMessages.CANCEL)) {
                living.add(call);
            }
        }
        if (!living.isEmpty() && !ended) {
            stream.sendMessage(PeerMessages.encodeCalls(living));
        }
    }

    @Override
    public void onReady() {
        outbox.flush();
    }

    @Override
    public void onMessage(byte[] message) {
        for (PeerMessages.Reply reply : PeerMessages.decodeReplies(message)) {
            Waiting one = waiting.remove(reply.id());
            if (one != null) {
                one.reply.complete(
                        switch (reply.outcome()) {
                            case PeerMessages.ANSWERED -> new Reply.Answer(reply.body());
                            case PeerMessages.NOT_MINE -> failures.notMine();
                            default -> failures.told(reply.outcome(), reply.text());
                        });
            }
        }
        stream.request(1);
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
        ended = true;
        boolean unreached = PeerFailure.neverReached(status);
        String why = status.getDescription() == null ? status.toString() : status.getDescription();
        for (Long id : List.copyOf(waiting.keySet())) {
            Waiting one = waiting.remove(id);
            if (one != null) {
                one.reply.complete(
                        status.getCode() == Status.Code.UNAUTHENTICATED
                                ? failures.of(status)
                                : unreached || !one.sent
                                        ? failures.unreached()
                                        : failures.broken(why));
            }
        }
    }
}
