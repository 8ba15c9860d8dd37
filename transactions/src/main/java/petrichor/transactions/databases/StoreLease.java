package petrichor.transactions.databases;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.rows.TableLayout;

/**
 * A server's lease on a store that other processes can reach: its right to serve reads. While
 * {@link #valid} holds, no server of another identity, and no second standalone server, has started
 * to serve from the store. Commits do not need this: fences in the store order them.
 *
 * <p>One thread writes a heartbeat into the store eight times per lease, then checks whether
 * another server has started a new term ({@link StoreClaim}). The lease starts before the heartbeat
 * is sent, on this machine's monotonic clock; other servers wait a twentieth longer than a lease,
 * so clock rates must agree within 5 %. Calling {@link #valid} does no I/O.
 *
 * <p>When the store does not answer for the length of a lease, the lease lapses, and the next
 * successful heartbeat restores it. When another server has started a new term, the lease is lost
 * permanently.
 *
 * <p>Thread-safe. Does not own the store.
 */
public final class StoreLease implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StoreLease.class.getName());

    private static final int BEATS_PER_LEASE = 8;
    private static final int ATTEMPTS_MAX = 20;
    private static final int CLOSE_MAX_S = 5;

    /** Heartbeats between two sweeps for rows of servers that ended without removing them. */
    private static final int BEATS_PER_SWEEP = 80;

    /** Rows that could not be removed yet; further ones are left to a sweep. */
    private static final int ABANDONED_MAX = 16;

    private final StoreTerms terms;
    private final StoreTerm term;
    private final StoreHeartbeat.Holder holder;
    private final Duration lease;
    private final ClaimContext around;
    private final Thread heartbeats;

    /** On the monotonic clock. */
    private volatile long validUntilNanos;

    private volatile @Nullable String failure;
    private volatile boolean superseded;
    private volatile boolean closed;

    // The following fields are confined to the thread that heartbeats.
    private byte[] key;
    private long number;
    private final List<byte[]> abandoned = new ArrayList<>();
    private Map<Bytes, StoreHeartbeat> lastSwept = new LinkedHashMap<>();

    private StoreLease(
            StoreTerms terms,
            StoreTerm term,
            StoreHeartbeat.Holder holder,
            Duration lease,
            ClaimContext around) {
        this.terms = terms;
        this.term = term;
        this.holder = holder;
        this.lease = lease;
        this.around = around;
        this.key = StoreTerms.beatKey(term.number(), terms.nonce());
        this.validUntilNanos = around.time().monotonicNanos();
        this.heartbeats = Thread.ofPlatform().daemon().name("store-lease").unstarted(this::beat);
    }

    /**
     * Starts to use the store and renews the lease until closed. FAILED_PRECONDITION if the store
     * belongs to another identity or to a running standalone server; may wait for the lease of a
     * killed server to expire.
     *
     * @param name of this server, for display
     * @param process by which other servers on this machine check whether this server is alive; may
     *     be empty
     */
    public static StoreLease open(
            KeyValueStore store,
            StoreIdentity identity,
            String name,
            String process,
            Duration lease,
            ClaimContext around) {
        StoreLease opened =
                enter(store, identity, new StoreHeartbeat.Holder(name, process), lease, around);
        opened.heartbeats.start();
        return opened;
    }

    /** Like {@link #open}, without the thread. */
    static StoreLease enter(
            KeyValueStore store,
            StoreIdentity identity,
            StoreHeartbeat.Holder holder,
            Duration lease,
            ClaimContext around) {
        StoreTerms terms = new StoreTerms(store);
        StoreClaim claim = new StoreClaim(terms, identity, holder, around);
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            StoreLease one = new StoreLease(terms, claim.enter(), holder, lease, around);
            one.renewOrFail();
            if (!one.superseded) {
                return one;
            }
        }
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "other servers kept claiming the store at the same time; retry");
    }

    /**
     * Moves a store that no server uses to another identity.
     *
     * @return its former owner; empty if it had none
     */
    public static Optional<StoreIdentity> adopt(
            KeyValueStore store, StoreIdentity identity, String name, ClaimContext around) {
        StoreHeartbeat.Holder holder = new StoreHeartbeat.Holder(name, "");
        return Optional.ofNullable(
                new StoreClaim(new StoreTerms(store), identity, holder, around).adopt());
    }

    /** The owner of a store; empty if it has none. Changes nothing. */
    public static Optional<StoreIdentity> identityOf(KeyValueStore store) {
        return store.tables().contains(TableLayout.META)
                ? Optional.ofNullable(StoreTerms.newest(store)).map(StoreTerm::identity)
                : Optional.empty();
    }

    /** True means that no other server had started to serve from the store before this call. */
    public boolean valid() {
        return !superseded && !closed && around.time().monotonicNanos() - validUntilNanos < 0;
    }

    /** Why reads are refused; empty while they are not. */
    public Optional<String> problem() {
        if (superseded) {
            return Optional.of(
                    "another server has taken over the store; this server refuses all requests:"
                            + " stop it, or stop the other one and restart this one");
        }
        if (valid()) {
            return Optional.empty();
        }
        String reason = failure;
        return Optional.of(
                "the store has not answered for "
                        + TimeUnit.NANOSECONDS.toMillis(
                                around.time().monotonicNanos() - validUntilNanos + lease.toNanos())
                        + " ms"
                        + (reason == null ? "" : ": " + reason));
    }

    /** The error for requests that cannot be served now. */
    public PetrichorException refusal() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "Reads and writes are refused because they could miss what another server"
                        + " commits: {problem}. Nothing was done; retry.",
                "problem",
                problem().orElse("the lease on the store was just renewed"));
    }

    private void beat() {
        long pause = lease.toNanos() / BEATS_PER_LEASE;
        for (int count = 1; !closed && !superseded; count++) {
            LockSupport.parkNanos(this, pause);
            if (!closed) {
                renew();
                if (count % BEATS_PER_SWEEP == 0 && failure == null) {
                    sweep();
                }
            }
        }
    }

    /** Writes one heartbeat; remembers why it failed. */
    void renew() {
        try {
            renewOrFail();
            if (failure != null) {
                failure = null;
                LOG.log(System.Logger.Level.INFO, "The lease on the store is renewed.");
            }
        } catch (RuntimeException failed) {
            if (failure == null) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "The lease on the store cannot be renewed: {0}",
                        failed.getMessage());
            }
            failure = String.valueOf(failed.getMessage());
        }
    }

    private void renewOrFail() {
        if (failure != null) {
            // A failure is harmless: at worst a heartbeat leaves a row behind.
            boolean _ = terms.exists(term.number() + 1);
        }
        long sent = around.time().monotonicNanos();
        try {
            terms.beat(key, new StoreHeartbeat(++number, lease, holder));
        } catch (RuntimeException unknown) {
            // It may arrive late and overwrite a later heartbeat, so that servers miss that one:
            // later heartbeats use a new row.
            abandoned.add(key);
            key = StoreTerms.beatKey(term.number(), terms.nonce());
            throw unknown;
        }
        if (terms.exists(term.number() + 1)) {
            superseded = true;
            LOG.log(
                    System.Logger.Level.ERROR,
                    "Another server has taken over the store. This server refuses all requests"
                            + " from now on; stop it.");
            abandoned.add(key);
            removeAbandoned();
            return;
        }
        validUntilNanos = sent + lease.toNanos();
        removeAbandoned();
    }

    private void removeAbandoned() {
        while (abandoned.size() > ABANDONED_MAX) {
            abandoned.removeFirst();
        }
        while (!abandoned.isEmpty()) {
            terms.removeBeat(abandoned.getFirst());
            abandoned.removeFirst();
        }
    }

    /** Removes the rows of killed servers; a paused server writes its row again. */
    void sweep() {
        try {
            Map<Bytes, StoreHeartbeat> present = terms.heartbeats();
            Map<Bytes, StoreHeartbeat> former = lastSwept;
            lastSwept = present;
            present.forEach(
                    (row, beat) -> {
                        if (beat.equals(former.get(row)) && beat.lease().compareTo(lease) <= 0) {
                            terms.removeBeat(row.array());
                        }
                    });
        } catch (PetrichorException unreachable) {
            // The next heartbeat reports it.
        }
    }

    /** Leaves the store: another server may start immediately. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        LockSupport.unpark(heartbeats);
        try {
            heartbeats.join(TimeUnit.SECONDS.toMillis(CLOSE_MAX_S));
            terms.removeBeat(key);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (PetrichorException unreachable) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "Releasing the store failed; other servers wait until the lease expires: {0}",
                    unreachable.getMessage());
        }
    }
}
