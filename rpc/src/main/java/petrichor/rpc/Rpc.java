package petrichor.rpc;

import io.grpc.ServerServiceDefinition;
import io.netty.channel.EventLoopGroup;
import java.util.List;
import java.util.Optional;

/**
 * What a front end needs of the rpc layer. It registers its routed services, sends its calls
 * through {@link #routing}, and the one that listens on the address of the server also serves
 * {@link #services} to peers. Safe for any thread.
 */
public interface Rpc {
    /** Of a server without peers. */
    Rpc STANDALONE = new Standalone();

    Routing routing();

    /** From now on other servers can forward calls of the service here. */
    void register(RoutedService service);

    /** For the gRPC server on the address under which peers know this server. */
    List<ServerServiceDefinition> services();

    /** How peers prove that they are peers. */
    PeerAuthentication authentication();

    /**
     * Threads of the connections to peers, for those of clients too: a forwarded call then often
     * stays on one thread. Empty if a front end is to have its own. They belong to this object.
     */
    Optional<EventLoopGroup> network();

    /** Accepts no calls of peers any more; those that run are answered. */
    void drain();

    /** Executes everything itself. */
    final class Standalone implements Rpc {
        private Standalone() {}

        @Override
        public Routing routing() {
            return Routing.STANDALONE;
        }

        @Override
        public void register(RoutedService service) {}

        @Override
        public List<ServerServiceDefinition> services() {
            return List.of();
        }

        @Override
        public PeerAuthentication authentication() {
            return PeerAuthentication.NONE;
        }

        @Override
        public Optional<EventLoopGroup> network() {
            return Optional.empty();
        }

        @Override
        public void drain() {}
    }
}
