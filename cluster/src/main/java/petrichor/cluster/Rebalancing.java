package petrichor.cluster;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.coordination.Member;
import petrichor.rpc.Routing;

/**
 * Hands databases of this server over to the member that {@link RendezvousHash} prefers, one at a
 * time, once that member has been in the cluster for two leases. New commits and transactions of
 * the database wait while those in progress end; then this server releases the database in the
 * ledger, and the member claims it. No request fails because of this: the next owner executes those
 * that waited.
 *
 * <p>A database whose transactions do not end within a second stays and is retried later. Runs on
 * its own thread.
 */
final class Rebalancing implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Rebalancing.class);

    /** Maximum wait of requests, less than the time they look for an owner. */
    private static final Duration DRAIN_MAX = Duration.ofSeconds(1);

    private static final Duration AGAIN_AFTER = Duration.ofSeconds(10);
    private static final int LEASES_TO_SETTLE = 2;
    private static final int CLOSE_MAX_S = 5;

    private final Ownership ownership;
    private final ClusterDatabases databases;
    private final Routing routing;
    private final Duration lease;
    private final TimeSource time;
    private final Thread thread;
    private final AtomicLong handedOver = new AtomicLong();
    private volatile boolean closed;

    // The following fields are confined to the thread.
    private final Map<String, Long> seenSince = new HashMap<>();
    private final Map<String, Long> postponedUntil = new HashMap<>();

    Rebalancing(
            Ownership ownership,
            ClusterDatabases databases,
            Routing routing,
            Duration lease,
            TimeSource time) {
        this.ownership = ownership;
        this.databases = databases;
        this.routing = routing;
        this.lease = lease;
        this.time = time;
        this.thread = Thread.ofPlatform().daemon().name("rebalancing").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        while (!closed) {
            LockSupport.parkNanos(this, lease.toNanos());
            if (!closed) {
                try {
                    step();
                } catch (PetrichorException away) {
                    LOG.debug("rebalancing is postponed: {}", away.getMessage());
                } catch (RuntimeException unforeseen) {
                    LOG.error("rebalancing failed", unforeseen);
                }
            }
        }
    }

    private void step() {
        long now = time.monotonicNanos();
        note(ownership.members(), now);
        for (String database : ownership.held()) {
            Optional<Member> preferred = ownership.preferred(database);
            if (!closed
                    && ownership.holds(database)
                    && preferred.isPresent()
                    && settled(preferred.get(), now)
                    && now - postponedUntil.getOrDefault(database, now) >= 0) {
                handOver(database, preferred.get());
            }
        }
    }

    private void note(List<Member> members, long now) {
        List<String> ids = members.stream().map(Member::id).toList();
        seenSince.keySet().retainAll(ids);
        ids.forEach(id -> seenSince.putIfAbsent(id, now));
        postponedUntil.values().removeIf(until -> now - until >= 0);
    }

    private boolean settled(Member member, long now) {
        return now - seenSince.getOrDefault(member.id(), now) >= LEASES_TO_SETTLE * lease.toNanos();
    }

    private void handOver(String database, Member to) {
        Optional<LeasedDatabase> open = databases.openHere(database);
        if (open.isPresent() && !open.get().drain(DRAIN_MAX)) {
            open.get().resume();
            postponedUntil.put(database, time.monotonicNanos() + AGAIN_AFTER.toNanos());
            LOG.debug("{} has open transactions; its handover is postponed", database);
            return;
        }
        ownership.handOver(database, to);
        handedOver.incrementAndGet();
        LOG.info("handed over {} to {}", database, to.address());
        // So that the takeover does not wait for the first request.
        var _ = VersionRequests.ask(routing, database);
    }

    long handedOver() {
        return handedOver.get();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_MAX_S));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
