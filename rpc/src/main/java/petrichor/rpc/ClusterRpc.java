package petrichor.rpc;

import io.grpc.ServerServiceDefinition;
import io.netty.channel.EventLoopGroup;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The rpc layer of one server of a cluster: its connections to the others, the routing of calls to
 * owners, and its services for the others. Thread-safe.
 */
public final class ClusterRpc implements Rpc, AutoCloseable {
    private final RpcSettings settings;
    private final PeerChannels channels;
    private final Router router;
    private final RoutedServices registered = new RoutedServices();
    private final PeerService service;

    public ClusterRpc(OwnerDirectory owners, RpcSettings settings) {
        this(owners, settings, ProtocolVersions.SUPPORTED);
    }

    ClusterRpc(OwnerDirectory owners, RpcSettings settings, ProtocolVersions versions) {
        this.settings = settings;
        this.channels = new PeerChannels(settings.authentication(), versions);
        this.router = new Router(owners, channels, settings.forwardTimeout());
        this.service =
                new PeerService(
                        settings.authentication(),
                        versions,
                        new ArrivedCalls(registered, router, settings.executionTimeout()));
    }

    @Override
    public Routing routing() {
        return router;
    }

    /**
     * Executes a call on one server, whichever owns the database: the call's locality is ANY. Does
     * not block; every failure is in the future.
     */
    public CompletableFuture<byte[]> callServer(Peer to, RoutedCall call) {
        return channels.call(to, call)
                .thenCompose(
                        reply ->
                                switch (reply) {
                                    case Reply.Answer(byte[] message) ->
                                            CompletableFuture.completedFuture(message);
                                    case Reply.Failed(var failure) ->
                                            CompletableFuture.failedFuture(failure);
                                    case Reply.NotDone(String why) ->
                                            CompletableFuture.failedFuture(
                                                    PetrichorException.of(
                                                            ErrorCode.UNAVAILABLE,
                                                            "the server has not executed the"
                                                                    + " call: {reason}; retry",
                                                            "reason",
                                                            why));
                                });
    }

    @Override
    public void register(RoutedService routed) {
        registered.register(routed);
    }

    @Override
    public List<ServerServiceDefinition> services() {
        return service.definitions();
    }

    @Override
    public PeerAuthentication authentication() {
        return settings.authentication();
    }

    @Override
    public Optional<EventLoopGroup> network() {
        return Optional.of(channels.network());
    }

    /** Closes the connections to all others: calls that wait for them fail immediately. */
    public void keepOnly(Collection<Peer> members) {
        channels.keepOnly(members);
    }

    /** Calls forwarded to owners. */
    public long forwarded() {
        return router.forwarded();
    }

    /** Calls that were retried because their owner had changed. */
    public long repeated() {
        return router.repeated();
    }

    @Override
    public void drain() {
        service.close();
    }

    /** Closes the connections to peers; its network threads end. */
    @Override
    public void close() {
        channels.close();
    }
}
