package petrichor.server.apps;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import petrichor.apps.hosting.cluster.ClusterPlan;
import petrichor.apps.hosting.cluster.Neighbours;
import petrichor.apps.router.PeerAccess;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cluster.ClusterNode;
import petrichor.coordination.Member;
import petrichor.rpc.Locality;
import petrichor.rpc.PeerCertificates;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.RoutedService;

/**
 * Asks the other servers of the cluster for the state of their apps, and answers such questions.
 * Thread-safe; does not block.
 */
final class AppNeighbours implements Neighbours, RoutedService {
    private static final String NAME = "petrichor.apps.v1.Readings";
    private static final String READ = NAME + "/Read";
    private static final long ANSWER_NANOS_MAX = 2_000_000_000;
    private static final byte[] NOTHING = new byte[0];

    private final ClusterNode node;
    private volatile @Nullable ClusterPlan plan;

    AppNeighbours(ClusterNode node) {
        this.node = node;
        node.rpc().register(this);
    }

    /** From now on, this server answers. */
    void answerWith(ClusterPlan running) {
        plan = running;
    }

    /** HOST of the address at which others reach this server. */
    String host() {
        String address = self().map(Neighbour::address).orElse("127.0.0.1");
        String host = address.substring(0, Math.max(0, address.lastIndexOf(':')));
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** Of connections between routers; empty if the servers of the cluster have no certificates. */
    Optional<PeerAccess.Tls> tls() {
        return node.rpc()
                .authentication()
                .certificates()
                .map(
                        own ->
                                new PeerAccess.Tls(
                                        own::accepting, own::connecting, PeerCertificates.NAME));
    }

    @Override
    public Optional<Neighbour> self() {
        return node.self().map(AppNeighbours::neighbour);
    }

    @Override
    public List<Neighbour> others() {
        return node.others().stream().map(AppNeighbours::neighbour).toList();
    }

    private static Neighbour neighbour(Member member) {
        return new Neighbour(member.id(), member.address());
    }

    @Override
    public CompletableFuture<byte[]> ask(Neighbour other) {
        return node.others().stream()
                .filter(member -> member.id().equals(other.id()))
                .findFirst()
                .map(member -> node.ask(member, call(Cancellation.after(ANSWER_NANOS_MAX))))
                .orElseGet(
                        () ->
                                CompletableFuture.failedFuture(
                                        PetrichorException.of(
                                                ErrorCode.UNAVAILABLE,
                                                "{server} has left the cluster",
                                                "server",
                                                other.address())));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public RoutedCall decode(Forwarded call) {
        if (!call.method().equals(READ)) {
            throw RoutedService.unknown(call.method());
        }
        return call(call.cancellation());
    }

    private RoutedCall call(Cancellation within) {
        return new RoutedCall() {
            @Override
            public String method() {
                return READ;
            }

            @Override
            public String database() {
                return "";
            }

            @Override
            public Locality locality() {
                return Locality.ANY;
            }

            @Override
            public byte[] body() {
                return NOTHING;
            }

            @Override
            public Cancellation cancellation() {
                return within;
            }

            @Override
            public CompletableFuture<byte[]> execute() {
                ClusterPlan known = plan;
                return known == null
                        ? CompletableFuture.failedFuture(
                                PetrichorException.of(
                                        ErrorCode.UNAVAILABLE, "no apps run on this server yet"))
                        : CompletableFuture.completedFuture(known.reading().encoded());
            }
        };
    }
}
