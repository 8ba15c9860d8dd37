package petrichor.rpc;

import io.grpc.ServerServiceDefinition;
import io.netty.channel.EventLoopGroup;
import java.util.List;
import java.util.Optional;

/**
 * The interface of the rpc layer for a front end. A front end registers its routed services and
 * sends its calls through {@link #routing}; the one that listens on the address of the server also
 * serves {@link #services} to peers. Thread-safe.
 */
public interface Rpc {
    /** For a server without peers. */
    Rpc STANDALONE = new Standalone();

    Routing routing();

    /** From now on other servers can forward calls of the service here. */
    void register(RoutedService service);

    /** For the gRPC server on the address under which peers know this server. */
    List<ServerServiceDefinition> services();

    /** Authenticates peers. */
    PeerAuthentication authentication();

    /**
     * The threads of the connections to peers, to be used for those of clients too: a forwarded
     * call then often stays on one thread. Empty if a front end needs its own. Owned by this
     * object.
     */
    Optional<EventLoopGroup> network();

    /** Stops accepting calls of peers; running ones are answered. */
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
