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
import petrichor.transactions.rows.RowLayout;

/**
 * A server's right to serve reads over a store that other processes can reach. While {@link #valid}
 * holds, no server of another identity, and no second standalone server, has started to serve from
 * the store. Commits do not need this: fences in the store order them.
 *
 * <p>One thread heartbeats into the store eight times a lease, then checks whether another server
 * has started a new term ({@link StoreClaim}). The lease counts from before the heartbeat was sent,
 * on this machine's monotonic clock; others wait a twentieth longer than a lease, so clocks must
 * run at the same rate within 5 %. Asking {@link #valid} costs no I/O.
 *
 * <p>When the store does not answer for a lease, the right lapses and returns with the next
 * heartbeat that succeeds. When another server has started a new term it is lost for good.
 *
 * <p>Safe for any thread. Does not own the store.
 */
public final class StoreLease implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(StoreLease.class.getName());

    private static final int BEATS_PER_LEASE = 8;
    private static final int ATTEMPTS_MAX = 20;
    private static final int CLOSE_MAX_S = 5;

    /** Heartbeats between two looks for rows of servers that ended without removing them. */
    private static final int BEATS_PER_SWEEP = 80;

    /** Rows that could not be removed yet; more are left to a sweep. */
    private static final int ABANDONED_MAX = 16;

    private final StoreTerms terms;
    private final StoreTerm term;
    private final StoreBeat.Holder holder;
    private final Duration lease;
    private final StoreSurroundings around;
    private final Thread beats;

    /** On the monotonic clock. */
    private volatile long validUntilNanos;

    private volatile @Nullable String failure;
    private volatile boolean superseded;
    private volatile boolean closed;

    // The rest belongs to the thread that heartbeats.
    private byte[] key;
    private long number;
    private final List<byte[]> abandoned = new ArrayList<>();
    private Map<Bytes, StoreBeat> lastSwept = new LinkedHashMap<>();

    private StoreLease(
            StoreTerms terms,
            StoreTerm term,
            StoreBeat.Holder holder,
            Duration lease,
            StoreSurroundings around) {
        this.terms = terms;
        this.term = term;
        this.holder = holder;
        this.lease = lease;
        this.around = around;
        this.key = StoreTerms.beatKey(term.number(), terms.nonce());
        this.validUntilNanos = around.time().monotonicNanos();
        this.beats = Thread.ofPlatform().daemon().name("store-lease").unstarted(this::beat);
    }

    /**
     * Begins to use the store and renews until it is closed. FAILED_PRECONDITION if the store
     * belongs to another identity or to a standalone server that runs; may wait for the lease of
     * one that was killed.
     *
     * @param name of this server, for people
     * @param process by which others on this machine know whether this server lives; may be empty
     */
    public static StoreLease open(
            KeyValueStore store,
            StoreIdentity identity,
            String name,
            String process,
            Duration lease,
            StoreSurroundings around) {
        StoreLease opened =
                enter(store, identity, new StoreBeat.Holder(name, process), lease, around);
        opened.beats.start();
        return opened;
    }

    /** As {@link #open}, without the thread. */
    static StoreLease enter(
            KeyValueStore store,
            StoreIdentity identity,
            StoreBeat.Holder holder,
            Duration lease,
            StoreSurroundings around) {
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
            KeyValueStore store, StoreIdentity identity, String name, StoreSurroundings around) {
        StoreBeat.Holder holder = new StoreBeat.Holder(name, "");
        return Optional.ofNullable(
                new StoreClaim(new StoreTerms(store), identity, holder, around).adopt());
    }

    /** The owner of a store; empty if it has none. Changes nothing. */
    public static Optional<StoreIdentity> identityOf(KeyValueStore store) {
        return store.tables().contains(RowLayout.META)
                ? Optional.ofNullable(StoreTerms.newest(store)).map(StoreTerm::identity)
                : Optional.empty();
    }

    /** True means that until this call no other server had started to serve from the store. */
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

    /** What a request gets that cannot be served now. */
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

    /** One heartbeat; remembers why it failed. */
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
            // A failure is harmless: a heartbeat leaves a row behind.
            boolean _ = terms.exists(term.number() + 1);
        }
        long sent = around.time().monotonicNanos();
        try {
            terms.beat(key, new StoreBeat(++number, lease, holder));
        } catch (RuntimeException unknown) {
            // It may arrive late, over a later heartbeat, and make that one unseen: so that later
            // ones have a row of their own.
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

    /** Removes what servers left behind that were killed; a paused one writes its row again. */
    void sweep() {
        try {
            Map<Bytes, StoreBeat> present = terms.beats();
            Map<Bytes, StoreBeat> former = lastSwept;
            lastSwept = present;
            present.forEach(
                    (row, beat) -> {
                        if (beat.equals(former.get(row)) && beat.lease().compareTo(lease) <= 0) {
                            terms.removeBeat(row.array());
                        }
                    });
        } catch (PetrichorException away) {
            // The next heartbeat reports it.
        }
    }

    /** Leaves the store: another server may begin at once. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        LockSupport.unpark(beats);
        try {
            beats.join(TimeUnit.SECONDS.toMillis(CLOSE_MAX_S));
            terms.removeBeat(key);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (PetrichorException away) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "Releasing the store failed; other servers wait until the lease expires: {0}",
                    away.getMessage());
        }
    }
}
