package petrichor.cluster;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.net.ConnectException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.Member;
import petrichor.frontends.datastore.ByteMessages;
import petrichor.frontends.datastore.Peers;

/**
 * One connection to each other server, made when it is first needed and cut when the server is no
 * member any more: calls that wait for one that died fail then at once. Safe for any thread;
 * answers come on network threads.
 */
final class PeerChannels implements AutoCloseable {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final ClusterSettings settings;
    private final Map<Member, ManagedChannel> channels = new ConcurrentHashMap<>();
    private volatile boolean closed;

    PeerChannels(ClusterSettings settings) {
        this.settings = settings;
    }

    /**
     * Sends a call on. The future does not fail.
     *
     * @param epoch that the owner has as far as we know
     */
    CompletableFuture<Reply> call(Member to, String method, byte[] message, long epoch) {
        Metadata headers = new Metadata();
        headers.put(Peers.FORWARDED, Long.toString(epoch));
        if (settings.token() != null) {
            headers.put(Peers.TOKEN, settings.token());
        }
        if (settings.apiToken() != null) {
            headers.put(AUTHORIZATION, "Bearer " + settings.apiToken());
        }
        if (closed) {
            return CompletableFuture.completedFuture(new Reply.NotDone("this server is stopping"));
        }
        ClientCall<byte[], byte[]> call =
                channels.computeIfAbsent(to, PeerChannels::open)
                        .newCall(ByteMessages.method(method), CallOptions.DEFAULT);
        Listener listener = new Listener(to);
        call.start(listener, headers);
        call.sendMessage(message);
        call.halfClose();
        call.request(2);
        return listener.reply;
    }

    private static ManagedChannel open(Member to) {
        return NettyChannelBuilder.forTarget("dns:///" + to.address())
                .usePlaintext()
                .directExecutor()
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .build();
    }

    /** Cuts the connections to all others: what waits for them gets to know. */
    void keepOnly(List<Member> members) {
        for (Member member : Set.copyOf(channels.keySet())) {
            if (!members.contains(member)) {
                ManagedChannel gone = channels.remove(member);
                if (gone != null) {
                    var _ = gone.shutdownNow();
                }
            }
        }
    }

    private static final class Listener extends ClientCall.Listener<byte[]> {
        private final CompletableFuture<Reply> reply = new CompletableFuture<>();
        private final Member to;
        private byte @Nullable [] message;

        Listener(Member to) {
            this.to = to;
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
                reply.complete(new Reply.NotDone(to.address() + " does not own the database"));
            } else if (neverReached(status)) {
                reply.complete(new Reply.NotDone(to.address() + " cannot be reached"));
            } else {
                reply.complete(new Reply.Failed(failure(status)));
            }
        }

        private static boolean neverReached(Status status) {
            return status.getCode() == Status.Code.UNAVAILABLE
                    && status.getCause() != null
                    && status.getCause() instanceof ConnectException;
        }

        private PetrichorException failure(Status status) {
            String text =
                    status.getDescription() == null ? "no reason given" : status.getDescription();
            if (status.getCause() != null) {
                // It did not come from the other server but from the way there.
                return new PetrichorException(
                        ErrorCode.UNAVAILABLE,
                        "the connection to "
                                + to.address()
                                + ", which owns the database, broke; what was to be written may"
                                + " have been: retry",
                        Map.of("server", to.address(), "reason", text));
            }
            return new PetrichorException(code(status), text, Map.of("server", to.address()));
        }

        private static ErrorCode code(Status status) {
            return switch (status.getCode()) {
                case INVALID_ARGUMENT, OUT_OF_RANGE -> ErrorCode.INVALID_ARGUMENT;
                case NOT_FOUND -> ErrorCode.NOT_FOUND;
                case ALREADY_EXISTS -> ErrorCode.ALREADY_EXISTS;
                case FAILED_PRECONDITION -> ErrorCode.FAILED_PRECONDITION;
                case ABORTED -> ErrorCode.ABORTED;
                case RESOURCE_EXHAUSTED -> ErrorCode.RESOURCE_EXHAUSTED;
                case UNAUTHENTICATED -> ErrorCode.UNAUTHENTICATED;
                case PERMISSION_DENIED -> ErrorCode.PERMISSION_DENIED;
                case UNAVAILABLE, CANCELLED -> ErrorCode.UNAVAILABLE;
                case DEADLINE_EXCEEDED -> ErrorCode.DEADLINE_EXCEEDED;
                case UNIMPLEMENTED -> ErrorCode.UNIMPLEMENTED;
                case INTERNAL, UNKNOWN, DATA_LOSS, OK -> ErrorCode.INTERNAL;
            };
        }
    }

    @Override
    public void close() {
        closed = true;
        keepOnly(List.of());
    }
}
