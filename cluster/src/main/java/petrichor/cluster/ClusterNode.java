package petrichor.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.coordination.Coordination;
import petrichor.coordination.Member;
import petrichor.coordination.NameHolder;
import petrichor.rpc.ClusterRpc;
import petrichor.rpc.RoutedCall;
import petrichor.rpc.Rpc;
import petrichor.transactions.Databases;

/**
 * One of several servers over one store: its databases, its membership in the cluster, and the rpc
 * layer for its front ends. Thread-safe. Owns the coordination and the databases, not the store.
 */
public final class ClusterNode implements AutoCloseable {
    private final Coordination coordination;
    private final Ownership ownership;
    private final ClusterRpc rpc;
    private final ClusterDatabases databases;
    private final RoutedDatabases routed;
    private final Rebalancing rebalancing;

    public ClusterNode(
            Coordination coordination,
            ClusterSettings settings,
            SharedStore store,
            TimeSource time) {
        this.coordination = coordination;
        this.ownership = new Ownership(coordination, settings, store.lease(), this::release, time);
        this.rpc = new ClusterRpc(ownership, settings.rpc());
        this.databases =
                new ClusterDatabases(
                        store.databases(), store.rows(), ownership, rpc.routing(), time);
        this.rebalancing =
                new Rebalancing(ownership, databases, rpc.routing(), settings.lease(), time);
        rpc.register(new VersionService(databases));
        CommitService commits = new CommitService(databases);
        rpc.register(commits);
        LockService locks = new LockService(databases);
        rpc.register(locks);
        this.routed = new RoutedDatabases(databases, commits, locks, rpc.routing());
        coordination.watchMembers(
                members -> rpc.keepOnly(members.stream().map(Ownership::peer).toList()));
        if (settings.rebalance()) {
            rebalancing.start();
        }
    }

    private void release(String database) {
        databases.release(database);
    }

    /** The owned databases, and the others for reading. */
    public Databases databases() {
        return databases;
    }

    /** All databases, whose commits are executed by their owners. */
    public Databases routedDatabases() {
        return routed;
    }

    /** For the front ends of this server. */
    public Rpc rpc() {
        return rpc;
    }

    /**
     * From now on it claims databases, and other servers forward calls to it: it must listen
     * already.
     *
     * @param address where others reach it, {@code host:port}
     */
    public void join(String address) {
        ownership.join(address);
    }

    /** Why databases cannot be owned now; empty while they can. */
    public Optional<String> problem() {
        if (ownership.valid()) {
            return Optional.empty();
        }
        return Optional.of(
                "no lease: "
                        + coordination
                                .problem()
                                .orElse("this server was silent for too long, or is joining")
                        + "; databases of this server are unavailable until it is renewed");
    }

    /** Whether a server is believed to own the database; does not ask the coordination service. */
    public boolean isOwnerKnown(String database) {
        return ownership.known(database).isPresent();
    }

    /** This server; empty while it is not a member. */
    public Optional<Member> self() {
        return ownership.self();
    }

    /** The other servers, as last seen; does not ask the coordination service. */
    public List<Member> others() {
        Optional<Member> self = ownership.self();
        return coordination.membersLastSeen().stream()
                .filter(member -> self.filter(member::equals).isEmpty())
                .toList();
    }

    /** Executes a call of locality ANY on another server. Does not block. */
    public CompletableFuture<byte[]> ask(Member other, RoutedCall call) {
        return rpc.callServer(Ownership.peer(other), call);
    }

    /** A server and its databases, for {@code cluster status}. */
    public record MemberStatus(Member member, boolean self, List<NameHolder> holdings) {}

    /** All servers, the oldest first. UNAVAILABLE while the coordination service is unreachable. */
    public List<MemberStatus> statuses() {
        List<NameHolder> holdings = coordination.holdings();
        List<MemberStatus> statuses = new ArrayList<>();
        for (Member member : coordination.members()) {
            statuses.add(
                    new MemberStatus(
                            member,
                            ownership.self().filter(member::equals).isPresent(),
                            holdings.stream()
                                    .filter(one -> one.member().equals(member.id()))
                                    .sorted((a, b) -> a.name().compareTo(b.name()))
                                    .toList()));
        }
        return statuses;
    }

    /**
     * Metrics of this server.
     *
     * @param members current servers, including this one
     * @param owned databases whose sequencer is here
     * @param forwarded calls forwarded to owners
     * @param repeated calls retried because their owner had changed
     * @param versionQuestions requests for read versions to owners, for reads here
     * @param handedOver databases handed over to servers that joined
     */
    public record ClusterMetrics(
            int members,
            int owned,
            long forwarded,
            long repeated,
            long versionQuestions,
            long handedOver) {}

    public ClusterMetrics metrics() {
        return new ClusterMetrics(
                coordination.membersLastSeen().size(),
                ownership.held().size(),
                rpc.forwarded(),
                rpc.repeated(),
                databases.versionQuestions(),
                rebalancing.handedOver());
    }

    /** Leaves the cluster; when this returns, others can claim its databases. */
    @Override
    public void close() {
        try {
            rebalancing.close();
            ownership.close();
            rpc.close();
            databases.close();
        } catch (PetrichorException failed) {
            databases.close();
            throw failed;
        } finally {
            coordination.close();
        }
    }
}
