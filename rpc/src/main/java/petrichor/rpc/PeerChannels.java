package petrichor.rpc;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection to each peer, opened on first use and closed when the server is no longer a
 * member: calls that wait for a failed server then fail immediately. Thread-safe; responses arrive
 * on network threads.
 */
final class PeerChannels implements AutoCloseable {
    private static final long CLOSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final PeerAuthentication authentication;
    private final ProtocolVersions versions;
    private final EventLoopGroup network;
    private final Map<Peer, ManagedChannel> channels = new ConcurrentHashMap<>();
    private final Map<Peer, PeerStream> streams = new ConcurrentHashMap<>();
    private volatile boolean closed;

    PeerChannels(PeerAuthentication authentication, ProtocolVersions versions) {
        this.authentication = authentication;
        this.versions = versions;
        this.network =
                NetworkTransport.AVAILABLE.threads(
                        "network", Runtime.getRuntime().availableProcessors());
    }

    /** Valid until this object is closed; all other users must have ended by then. */
    EventLoopGroup network() {
        return network;
    }

    /** Forwards a call. The future does not fail. */
    CompletableFuture<Reply> call(Peer to, RoutedCall call) {
        if (closed) {
            return CompletableFuture.completedFuture(new Reply.NotDone("this server is stopping"));
        }
        byte[] body = call.body();
        return body.length <= PeerMethods.STREAM_BODY_BYTES_MAX
                ? stream(to).call(call, body)
                : alone(to, call, body);
    }

    private CompletableFuture<Reply> alone(Peer to, RoutedCall call, byte[] body) {
        Metadata headers = headers();
        headers.put(PeerMethods.METHOD, call.method());
        String traceparent = call.traceparent();
        if (traceparent != null) {
            headers.put(PeerMethods.TRACEPARENT, traceparent);
        }
        ClientCall<byte[], byte[]> large =
                channel(to).newCall(PeerMethods.LARGE_CALL, CallOptions.DEFAULT);
        Listener listener = new Listener(new PeerFailure(to));
        large.start(listener, headers);
        large.sendMessage(body);
        large.halfClose();
        large.request(2);
        call.cancellation().onCancel(() -> large.cancel("the client left", null));
        return listener.reply;
    }

    /** Pending calls to that server, without large ones. */
    int underWay(Peer to) {
        PeerStream stream = streams.get(to);
        return stream == null ? 0 : stream.underWay();
    }

    private PeerStream stream(Peer to) {
        PeerStream known = streams.get(to);
        return known != null && !known.ended()
                ? known
                : streams.compute(to, (_, now) -> now != null && !now.ended() ? now : begin(to));
    }

    /** Not in the context of the first request, with which it would end. */
    private PeerStream begin(Peer to) {
        Context former = Context.ROOT.attach();
        try {
            return PeerStream.open(
                    new PeerFailure(to),
                    channel(to).newCall(PeerMethods.STREAM, CallOptions.DEFAULT),
                    headers(),
                    versions);
        } finally {
            Context.ROOT.detach(former);
        }
    }

    private Metadata headers() {
        Metadata headers = new Metadata();
        headers.put(ProtocolVersions.OFFERED, versions.toString());
        authentication.present(headers);
        return headers;
    }

    private ManagedChannel channel(Peer to) {
        return channels.computeIfAbsent(to, this::open);
    }

    private ManagedChannel open(Peer to) {
        NettyChannelBuilder builder = NettyChannelBuilder.forTarget("dns:///" + to.address());
        authentication
                .certificates()
                .ifPresentOrElse(
                        certificates ->
                                builder.sslContext(certificates.connecting())
                                        .overrideAuthority(PeerCertificates.NAME),
                        builder::usePlaintext);
        return builder.channelType(NetworkTransport.AVAILABLE.connected())
                .eventLoopGroup(network)
                .directExecutor()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .build();
    }

    /** Closes the connections to all others: calls that wait for them fail immediately. */
    void keepOnly(Collection<Peer> members) {
        for (Peer peer : Set.copyOf(channels.keySet())) {
            if (!members.contains(peer)) {
                streams.remove(peer);
                ManagedChannel gone = channels.remove(peer);
                if (gone != null) {
                    var _ = gone.shutdownNow();
                }
            }
        }
    }

    /** Listener of one large call. */
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
            } else if (trailers.containsKey(PeerMethods.NOT_OWNER)) {
                reply.complete(failures.notOwner());
            } else if (trailers.containsKey(ProtocolVersions.OFFERED)
                    || (status.getCode() == Status.Code.UNIMPLEMENTED
                            && !trailers.containsKey(PeerMethods.EXECUTED))) {
                reply.complete(failures.incompatible(String.valueOf(status.getDescription())));
            } else if (PeerFailure.neverReached(status)) {
                reply.complete(failures.unreached(status));
            } else {
                reply.complete(failures.of(status));
            }
        }
    }

    /** Waits briefly for the connections: their last tasks run on the network threads. */
    @Override
    public void close() {
        closed = true;
        List<ManagedChannel> open = List.copyOf(channels.values());
        keepOnly(Set.of());
        try {
            long until = System.nanoTime() + CLOSE_MAX_NANOS;
            for (ManagedChannel channel : open) {
                var _ = channel.awaitTermination(until - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        var _ = network.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
