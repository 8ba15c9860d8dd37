package petrichor.cluster;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.coordination.Claim;
import petrichor.coordination.Coordination;
import petrichor.coordination.Member;
import petrichor.coordination.Membership;
import petrichor.rpc.Owner;
import petrichor.rpc.OwnerDirectory;
import petrichor.rpc.Peer;

/**
 * The databases that this server owns, and the presumed owners of the others. A presumed owner is a
 * hint, which that server corrects; its own databases are certain while {@link #holds} is true.
 * Thread-safe.
 *
 * <p>A server that lost its membership gives up all its databases and rejoins, retrying until it
 * succeeds.
 */
final class Ownership implements OwnerDirectory, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Ownership.class);
    private static final long REJOIN_PAUSE_NANOS = 200_000_000;

    private final Coordination coordination;
    private final ClusterSettings settings;
    private final BooleanSupplier storeLease;
    private final Consumer<String> released;
    private final TimeSource time;

    /** Claims share the lock; releasing a database excludes them. */
    private final ReadWriteLock claims = new ReentrantReadWriteLock();

    private final Set<String> leaving = ConcurrentHashMap.newKeySet();
    private final Map<String, Held> held = new ConcurrentHashMap<>();
    private final Map<String, Owner.There> believed = new ConcurrentHashMap<>();
    private final Map<String, HandedOver> handedOver = new ConcurrentHashMap<>();
    private volatile @Nullable Membership membership;
    private volatile boolean closed;

    /** A grant is valid as long as the membership under which it was made. */
    private record Held(long epoch, Membership under) {}

    /** Until then, only that member claims the database. */
    private record HandedOver(Member to, long untilNanos) {}

    /**
     * @param storeLease whether the store currently belongs to this cluster
     * @param released called with each database that this server no longer owns
     */
    Ownership(
            Coordination coordination,
            ClusterSettings settings,
            BooleanSupplier storeLease,
            Consumer<String> released,
            TimeSource time) {
        this.time = time;
        this.coordination = coordination;
        this.settings = settings;
        this.storeLease = storeLease;
        this.released = released;
        coordination.watchMembers(this::forgetThoseWhoLeft);
    }

    /** Becomes a member; from now on databases are claimed. */
    void join(String address) {
        Membership joined = coordination.join(address, settings.lease());
        membership = joined;
        var _ = joined.lost().thenRun(() -> rejoin(joined, address));
    }

    private void rejoin(Membership former, String address) {
        Thread.ofPlatform()
                .daemon()
                .name("rejoin")
                .start(
                        () -> {
                            former.close();
                            releaseAll();
                            while (!closed && !joined(address)) {
                                LockSupport.parkNanos(REJOIN_PAUSE_NANOS);
                            }
                        });
    }

    private boolean joined(String address) {
        try {
            join(address);
            LOG.info("rejoined the cluster as {}", address);
            return true;
        } catch (PetrichorException away) {
            return false;
        }
    }

    private void releaseAll() {
        for (String database : Set.copyOf(held.keySet())) {
            held.remove(database);
            released.accept(database);
        }
    }

    /** Whether this server owns the database at this moment. */
    boolean holds(String database) {
        Held ours = held.get(database);
        return ours != null && ours.under().valid() && storeLease.getAsBoolean();
    }

    /**
     * Whether this server claimed the database, even if the lease has just expired: it may become
     * valid again.
     */
    boolean claimed(String database) {
        Held ours = held.get(database);
        return ours != null && !ours.under().lost().isDone();
    }

    @Override
    public Optional<Owner> known(String database) {
        Held ours = held.get(database);
        return ours != null && !ours.under().lost().isDone()
                ? Optional.of(new Owner.Here(ours.epoch()))
                : Optional.ofNullable(believed.get(database));
    }

    @Override
    public void invalidate(String database, Owner.There owner) {
        believed.remove(database, owner);
    }

    /**
     * Queries the ledger, and claims the database if it has no owner and placement selects this
     * server. Waits for the ledger only; UNAVAILABLE if that is unreachable.
     */
    @Override
    public Owner find(String database, boolean take) {
        Membership now = membership;
        if (now == null) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, "this server has not joined its cluster yet; retry");
        }
        Optional<Member> preferred = freeAndForOther(database, now, take);
        if (preferred.isPresent()) {
            return new Owner.There(peer(preferred.get()), 0);
        }
        claims.readLock().lock();
        try {
            return claimed(database, now);
        } finally {
            claims.readLock().unlock();
        }
    }

    private Owner claimed(String database, Membership now) {
        if (leaving.contains(database)) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    "the database is being handed over to another server; retry",
                    "database",
                    database);
        }
        return switch (now.claim(database)) {
            case Claim.Granted(_, long epoch) -> {
                if (held.put(database, new Held(epoch, now)) == null) {
                    LOG.info("owns {} since epoch {}", database, epoch);
                }
                believed.remove(database);
                yield new Owner.Here(epoch);
            }
            case Claim.Held(var holding, Member holder) -> {
                Owner.There there = new Owner.There(peer(holder), holding.epoch());
                believed.put(database, there);
                yield there;
            }
        };
    }

    /**
     * The member that should claim the database, if it has no owner and that member is another
     * server: the one to which this server has just handed it over, or else the one that placement
     * selects.
     *
     * @param take disregards placement
     */
    private Optional<Member> freeAndForOther(String database, Membership self, boolean take) {
        if (take && !handedOver.containsKey(database)) {
            return Optional.empty();
        }
        List<Member> members = coordination.membersLastSeen();
        Optional<String> holder = coordination.holding(database).map(holding -> holding.member());
        if (holder.isPresent()
                && (holder.get().equals(self.self().id())
                        || members.stream().anyMatch(one -> one.id().equals(holder.get())))) {
            handedOver.remove(database);
            return Optional.empty();
        }
        Optional<Member> next = handedOver(database, members);
        return next.isPresent() || take
                ? next
                : RendezvousHash.of(database, members)
                        .filter(member -> !member.equals(self.self()));
    }

    /**
     * Without this, a call that another server forwards in the belief that this server is still the
     * owner would make it claim the database again, before the next owner does.
     */
    private Optional<Member> handedOver(String database, List<Member> members) {
        HandedOver last = handedOver.get(database);
        if (last == null) {
            return Optional.empty();
        }
        if (time.monotonicNanos() - last.untilNanos >= 0 || !members.contains(last.to)) {
            handedOver.remove(database, last);
            return Optional.empty();
        }
        return Optional.of(last.to);
    }

    /** A member as the rpc layer knows it. */
    static Peer peer(Member member) {
        return new Peer(member.id(), member.address());
    }

    /** The members as of the last poll. */
    List<Member> members() {
        return coordination.membersLastSeen();
    }

    /** The member that should own a database of this server; empty if that is this server. */
    Optional<Member> preferred(String database) {
        return RendezvousHash.of(database, coordination.membersLastSeen())
                .filter(member -> !Optional.of(member).equals(self()));
    }

    /**
     * Releases a database for that member to claim. No call that changes it may be running. If the
     * ledger fails, this server owns the database again, or no server does.
     */
    void handOver(String database, Member to) {
        leaving.add(database);
        claims.writeLock().lock();
        try {
            Held ours = held.remove(database);
            if (ours == null) {
                return;
            }
            // From here on this server reads nothing that the next owner may change.
            released.accept(database);
            handedOver.put(
                    database,
                    new HandedOver(to, time.monotonicNanos() + settings.lease().toNanos()));
            ours.under().release(database);
            believed.put(database, new Owner.There(peer(to), 0));
        } finally {
            claims.writeLock().unlock();
            leaving.remove(database);
        }
    }

    private void forgetThoseWhoLeft(List<Member> members) {
        List<Peer> peers = members.stream().map(Ownership::peer).toList();
        believed.values().removeIf(owner -> !peers.contains(owner.peer()));
    }

    Optional<Member> self() {
        return Optional.ofNullable(membership).map(Membership::self);
    }

    boolean valid() {
        Membership now = membership;
        return now != null && now.valid() && storeLease.getAsBoolean();
    }

    Set<String> held() {
        return Set.copyOf(held.keySet());
    }

    /** Leaves the cluster: others can claim its databases immediately. */
    @Override
    public void close() {
        closed = true;
        Membership now = membership;
        releaseAll();
        if (now != null) {
            now.close();
        }
    }
}
