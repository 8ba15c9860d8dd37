package petrichor.cluster;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.coordination.Member;
import petrichor.frontends.datastore.ByteMessages;
import petrichor.frontends.datastore.NetworkTransport;
import petrichor.frontends.datastore.PeerMessages;
import petrichor.frontends.datastore.Peers;

/**
 * One connection to each other server, made when it is first needed and cut when the server is no
 * member any more: calls that wait for one that died fail then at once. Safe for any thread;
 * answers come on network threads.
 */
final class PeerChannels implements AutoCloseable {

    private final ClusterSettings settings;
    private final EventLoopGroup network;
    private final Map<Member, ManagedChannel> channels = new ConcurrentHashMap<>();
    private final Map<Member, PeerStream> streams = new ConcurrentHashMap<>();
    private volatile boolean closed;

    PeerChannels(ClusterSettings settings) {
        this.settings = settings;
        this.network =
                NetworkTransport.AVAILABLE.threads(
                        "network", Runtime.getRuntime().availableProcessors());
    }

    /** Until this object is closed; all other users have ended by then. */
    EventLoopGroup network() {
        return network;
    }

    /**
     * Forwards a call. The future does not fail.
     *
     * @param cancellation the other server stops working on the call when the client leaves
     */
    CompletableFuture<Reply> call(
            Member to, String method, byte[] message, Cancellation cancellation) {
        if (closed) {
            return CompletableFuture.completedFuture(new Reply.NotDone("this server is stopping"));
        }
        if (message.length <= PeerMessages.REQUEST_BYTES_MAX) {
            return stream(to).call(method, message, cancellation);
        }
        Metadata headers = headers();
        headers.put(Peers.FORWARDED, "");
        ClientCall<byte[], byte[]> call =
                channel(to).newCall(ByteMessages.method(method), CallOptions.DEFAULT);
        Listener listener = new Listener(new PeerFailure(to));
        call.start(listener, headers);
        call.sendMessage(message);
        call.halfClose();
        call.request(2);
        cancellation.onCancel(() -> call.cancel("the client left", null));
        return listener.reply;
    }

    /** Calls to that server that have no answer yet, large ones left out. */
    int underWay(Member to) {
        PeerStream stream = streams.get(to);
        return stream == null ? 0 : stream.underWay();
    }

    private PeerStream stream(Member to) {
        PeerStream known = streams.get(to);
        return known != null && !known.ended()
                ? known
                : streams.compute(to, (_, now) -> now != null && !now.ended() ? now : begin(to));
    }

    /** Not in the context of the request that happens to come first: it ends with that. */
    private PeerStream begin(Member to) {
        Context former = Context.ROOT.attach();
        try {
            return PeerStream.open(
                    new PeerFailure(to),
                    channel(to).newCall(PeerMessages.stream(), CallOptions.DEFAULT),
                    headers());
        } finally {
            Context.ROOT.detach(former);
        }
    }

    private Metadata headers() {
        Metadata headers = new Metadata();
        if (settings.token() != null) {
            headers.put(Peers.TOKEN, settings.token());
        }
        return headers;
    }

    private ManagedChannel channel(Member to) {
        return channels.computeIfAbsent(to, this::open);
    }

    private ManagedChannel open(Member to) {
        return NettyChannelBuilder.forTarget("dns:///" + to.address())
                .usePlaintext()
                .channelType(NetworkTransport.AVAILABLE.connected())
                .eventLoopGroup(network)
                .directExecutor()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .build();
    }

    /** Cuts the connections to all others: what waits for them gets to know. */
    void keepOnly(List<Member> members) {
        for (Member member : Set.copyOf(channels.keySet())) {
            if (!members.contains(member)) {
                streams.remove(member);
                ManagedChannel gone = channels.remove(member);
                if (gone != null) {
                    var _ = gone.shutdownNow();
                }
            }
        }
    }

    /** Of one call that goes its own way. */
    private static final class Listener extends ClientCall.Listener<byte[]> {
        private final CompletableFuture<Reply> reply = new CompletableFuture<>();
        private final PeerFailure failures;
        private byte @Nullable [] message;

        Listener(PeerFailure failures) {
            this.failures = failures;
        }

        @Override
        public void onMessage(byte[] answer) {
            message = answer;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            byte[] answer = message;
            if (status.isOk() && answer != null) {
                reply.complete(new Reply.Answer(answer));
            } else if (trailers.containsKey(Peers.NOT_MINE)) {
                reply.complete(failures.notMine());
            } else if (PeerFailure.neverReached(status)) {
                reply.complete(failures.unreached());
            } else {
                reply.complete(failures.of(status));
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        keepOnly(List.of());
        var _ = network.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
