package petrichor.coordination;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.Ledger.Change;
import petrichor.coordination.Ledger.Entry;
import petrichor.coordination.Ledger.Place;

/**
 * The membership of this process, with the lease on everything that it claims. Thread-safe. The
 * heartbeat thread renews the lease and polls the ledger eight times per lease.
 *
 * <p>While the ledger is unreachable the lease expires and {@link #valid} becomes false. It becomes
 * true again, with nothing lost, if the ledger returns before another member took over. Otherwise
 * {@link #lost} completes and this object is useless: join again.
 */
public final class Membership implements AutoCloseable {
    private static final int BEATS_PER_LEASE = 8;

    /**
     * After this fraction of a lease without polling, observations about the expiry of other
     * members are discarded.
     */
    private static final double STALE_LEASES = 0.75;

    private static final int ID_BYTES = 8;
    private static final int CLAIM_ATTEMPTS_MAX = 20;
    private static final byte[] NOBODY = {};

    private static final System.Logger LOG = System.getLogger(Membership.class.getName());

    private final Coordination coordination;
    private final Member self;
    private final Place place;
    private final Thread beat;
    private final CompletableFuture<Void> lost = new CompletableFuture<>();

    /** On the monotonic clock. */
    private volatile long validUntilNanos;

    // The following fields are confined to the heartbeat thread.
    private long lastLookNanos;
    private boolean stale;

    private volatile boolean closed;

    private Membership(Coordination coordination, Member self, long sentNanos) {
        this.coordination = coordination;
        this.self = self;
        this.place = new Place(Coordination.MEMBERS, self.id());
        this.validUntilNanos = sentNanos + self.lease().toNanos();
        this.lastLookNanos = sentNanos;
        this.beat = Thread.ofPlatform().daemon().name("membership").unstarted(this::heartbeatLoop);
    }

    static Membership begin(Coordination coordination, String address, Duration lease) {
        byte[] random = new byte[ID_BYTES];
        new SecureRandom().nextBytes(random);
        Member self =
                new Member(
                        HexFormat.of().formatHex(random),
                        address,
                        coordination.time().epochMicros(),
                        lease);
        long sent = coordination.time().monotonicNanos();
        Membership membership = new Membership(coordination, self, sent);
        if (!coordination
                .ledger()
                .change(List.of(new Change.Create(membership.place, self.toBytes())))) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, "the random id {id} is in use already", "id", self.id());
        }
        coordination.seeAgain(lease);
        coordination.observe();
        membership.beat.start();
        return membership;
    }

    public Member self() {
        return self;
    }

    /**
     * Whether the grants are still valid. True means that no other member has been granted any of
     * them before this call.
     */
    public boolean valid() {
        return !closed
                && !lost.isDone()
                && coordination.time().monotonicNanos() - validUntilNanos < 0;
    }

    /** Completes, on the heartbeat thread, when all grants are permanently lost. */
    public CompletableFuture<Void> lost() {
        return lost.copy();
    }

    /**
     * Claims the name if it is free. Sends a few requests to the ledger, and waits for nothing
     * else: the name of a holder without heartbeats is refused until its lease has expired.
     */
    public Claim claim(String name) {
        Place held = new Place(Coordination.HOLDINGS, name);
        for (int attempt = 0; attempt < CLAIM_ATTEMPTS_MAX; attempt++) {
            if (lost.isDone() || closed) {
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "this server is not a member of the cluster now; retry");
            }
            Optional<Entry> present = coordination.ledger().read(held);
            if (present.isEmpty()) {
                boolean _ = change(new Change.Expect(place), new Change.Create(held, idBytes()));
                continue; // read the current epoch again
            }
            NameHolder holding = Coordination.holding(name, present.get());
            if (holding.member().equals(self.id())) {
                return new Claim.Granted(name, holding.epoch());
            }
            Change take = new Change.Replace(held, idBytes(), present.get().version());
            Optional<Entry> holder =
                    holding.member().isEmpty()
                            ? Optional.empty()
                            : coordination.readMember(holding.member());
            if (holder.isEmpty()) {
                boolean _ = change(new Change.Expect(place), take);
                continue;
            }
            Member member = Member.parse(holding.member(), holder.get().value());
            if (!coordination.silent(member, holder.get().version())) {
                return new Claim.Held(holding, member);
            }
            // Fails if it renewed after all; if not, its next renewal fails.
            boolean _ =
                    change(
                            new Change.Expect(place),
                            new Change.Delete(
                                    new Place(Coordination.MEMBERS, member.id()),
                                    holder.get().version()),
                            take);
        }
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "too many servers compete for '{name}'; nothing was done, retry",
                "name",
                name);
    }

    private boolean change(Change... changes) {
        return coordination.ledger().change(List.of(changes));
    }

    private byte[] idBytes() {
        return self.id().getBytes(StandardCharsets.UTF_8);
    }

    /** Releases a name of this process; others may claim it immediately. */
    public void release(String name) {
        Place held = new Place(Coordination.HOLDINGS, name);
        coordination
                .ledger()
                .read(held)
                .filter(entry -> Coordination.holding(name, entry).member().equals(self.id()))
                .ifPresent(
                        entry -> {
                            boolean _ = change(new Change.Replace(held, NOBODY, entry.version()));
                        });
    }

    private void heartbeatLoop() {
        long pause = self.lease().toNanos() / BEATS_PER_LEASE;
        while (!closed && !lost.isDone()) {
            LockSupport.parkNanos(this, pause);
            if (!closed) {
                beat();
            }
        }
    }

    /** Renews first: polling may take time. */
    private void beat() {
        long sent = coordination.time().monotonicNanos();
        try {
            if (change(new Change.Replace(place, self.toBytes(), Ledger.ANY_VERSION))) {
                validUntilNanos = sent + self.lease().toNanos();
            } else if (!closed) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "This server ({0}) did not renew its lease of {1} ms in time and has lost"
                                + " its membership in the cluster.",
                        self.address(),
                        self.lease().toMillis());
                boolean _ = lost.complete(null);
                return;
            }
            long now = coordination.time().monotonicNanos();
            if (stale || now - lastLookNanos > STALE_LEASES * self.lease().toNanos()) {
                if (stale) {
                    LOG.log(System.Logger.Level.INFO, "The lease of this server is renewed.");
                }
                coordination.seeAgain(self.lease());
                stale = false;
            }
            coordination.observe();
            lastLookNanos = coordination.time().monotonicNanos();
        } catch (PetrichorException unreachable) {
            if (!stale) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The lease of this server cannot be renewed: {0}",
                        unreachable.getMessage());
            }
            stale = true;
        } catch (RuntimeException unforeseen) {
            LOG.log(System.Logger.Level.ERROR, "Heartbeat failed.", unforeseen);
        }
    }

    /** Remaining time of the lease; negative after its expiry. For metrics and health. */
    public Duration validFor() {
        return Duration.ofNanos(validUntilNanos - coordination.time().monotonicNanos());
    }

    /** Leaves the cluster: everything that it held is free immediately. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        LockSupport.unpark(beat);
        try {
            beat.join(TimeUnit.SECONDS.toMillis(5));
            boolean _ = change(new Change.Delete(place, Ledger.ANY_VERSION));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (PetrichorException unreachable) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "Leaving the cluster failed; other servers notice after a lease: {0}",
                    unreachable.getMessage());
        }
    }
}
