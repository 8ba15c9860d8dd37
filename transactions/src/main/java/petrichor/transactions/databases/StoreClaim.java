package petrichor.transactions.databases;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * One attempt to start using a store under an identity, or to move the store to another identity.
 *
 * <p>A server writes its heartbeat into its own row and then checks whether its term has a
 * successor. A server that starts a term first waits until no heartbeat has changed for the length
 * of its lease, then claims the term, then reads the heartbeats again: of a server that heartbeats
 * and one that claims at the same time, at least one sees what the other did. If a heartbeat
 * arrived in between, the new term is not used before the lease of that server has expired by its
 * own clock.
 *
 * <p>Confined to one thread.
 */
final class StoreClaim {
    /** Allows for clock drift: waits a twentieth of the lease longer. */
    private static final int DRIFT_DIVISOR = 20;

    /** The alternative to a corrected configuration. */
    private static final String OR_ADOPT =
            ", or, to reassign the store, stop all of its servers and run `petrichor store adopt`"
                    + " with this configuration";

    private static final Duration POLL = Duration.ofMillis(50);
    private static final int ATTEMPTS_MAX = 20;

    private final StoreTerms terms;
    private final StoreIdentity identity;
    private final StoreHeartbeat.Holder holder;
    private final ClaimContext around;

    StoreClaim(
            StoreTerms terms,
            StoreIdentity identity,
            StoreHeartbeat.Holder holder,
            ClaimContext around) {
        this.terms = terms;
        this.identity = identity;
        this.holder = holder;
        this.around = around;
    }

    /**
     * The term to serve in. FAILED_PRECONDITION if the store belongs to another identity, or to a
     * running standalone server.
     */
    StoreTerm enter() {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            StoreTerm newest = terms.newest();
            if (newest == null) {
                StoreTerm first = first();
                if (first != null) {
                    return first;
                }
                continue;
            }
            if (!newest.identity().matches(identity)) {
                throw refusal(newest.identity());
            }
            StoreTerm mine = identity.exclusive() ? succeed(newest) : newest;
            if (mine != null) {
                return mine;
            }
        }
        throw contended();
    }

    /**
     * Moves the store to this identity. FAILED_PRECONDITION while a server uses it.
     *
     * @return its former owner; null if it had none
     */
    @Nullable StoreIdentity adopt() {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            StoreTerm newest = terms.newest();
            if (newest == null) {
                if (first() != null) {
                    return null;
                }
            } else if (newest.identity().matches(identity) || succeed(newest) != null) {
                return newest.identity();
            }
        }
        throw contended();
    }

    /** Null if another server was faster. */
    private @Nullable StoreTerm first() {
        StoreTerm first = new StoreTerm(1, identity, holder.name());
        boolean used = terms.hasDatabases();
        if (!terms.claim(first)) {
            return null;
        }
        if (used) {
            around.notice()
                    .accept(
                            "the store has databases of an earlier version, which did not record"
                                    + " its owner; it now belongs to "
                                    + identity.description());
        }
        return first;
    }

    /** Null if another server started that term. */
    private @Nullable StoreTerm succeed(StoreTerm former) {
        awaitSilence();
        StoreTerm next = new StoreTerm(former.number() + 1, identity, holder.name());
        if (!terms.claim(next)) {
            return null;
        }
        Map<Bytes, StoreHeartbeat> late = terms.heartbeats();
        late.keySet().removeIf(key -> termOf(key) >= next.number());
        if (!late.isEmpty()) {
            // They detect the new term at their next heartbeat, or stop by their own clock.
            around.pause().accept(silenceOf(late.values()));
        }
        return next;
    }

    private static long termOf(Bytes beatKey) {
        return ByteBuffer.wrap(beatKey.array()).getLong(1);
    }

    /** Waits until no other server can still assume that it owns the store. */
    private void awaitSilence() {
        Map<Bytes, StoreHeartbeat> seen = living();
        if (seen.isEmpty()) {
            return;
        }
        long started = around.time().monotonicNanos();
        Duration silence = silenceOf(seen.values());
        around.notice()
                .accept(
                        "the previous server of the store did not shut down cleanly ("
                                + seen.values().iterator().next().holder().name()
                                + "); waiting "
                                + silence.toMillis()
                                + " ms for its lease to expire");
        while (around.time().monotonicNanos() - started <= silence.toNanos()) {
            around.pause().accept(POLL);
            living().forEach((key, beat) -> requireSame(seen.get(key), beat));
        }
        seen.keySet().forEach(key -> terms.removeBeat(key.array()));
    }

    private void requireSame(@Nullable StoreHeartbeat before, StoreHeartbeat now) {
        if (!now.equals(before)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the store is in use by another server ({server}): stop that server first."
                            + " Several servers can share a store only as a cluster, with the same"
                            + " cluster.coordination on all of them",
                    "server",
                    now.holder().name());
        }
    }

    /** Excludes processes that are known to have ended, and removes their rows. */
    private Map<Bytes, StoreHeartbeat> living() {
        Map<Bytes, StoreHeartbeat> living = new LinkedHashMap<>(terms.heartbeats());
        living.entrySet()
                .removeIf(
                        entry -> {
                            boolean dead = around.dead().test(entry.getValue().holder().process());
                            if (dead) {
                                terms.removeBeat(entry.getKey().array());
                            }
                            return dead;
                        });
        return living;
    }

    private static Duration silenceOf(Collection<StoreHeartbeat> heartbeats) {
        Duration longest =
                heartbeats.stream()
                        .map(StoreHeartbeat::lease)
                        .max(Duration::compareTo)
                        .orElse(Duration.ZERO);
        return longest.plus(longest.dividedBy(DRIFT_DIVISOR));
    }

    private PetrichorException refusal(StoreIdentity owner) {
        if (owner.exclusive()) {
            return PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the store belongs to {owner}, but this server is one of {configured}. Remove"
                            + " cluster.coordination"
                            + OR_ADOPT,
                    "owner",
                    owner.description(),
                    "configured",
                    identity.description());
        }
        if (identity.exclusive()) {
            return PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the store belongs to {owner}, but this server is a standalone server, without"
                            + " cluster.coordination. Set cluster.coordination = \"{address}\""
                            + OR_ADOPT,
                    "owner",
                    owner.description(),
                    "address",
                    owner.address());
        }
        if (owner.address().equals(identity.address())) {
            return PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the store belongs to {owner}, but the coordination service at {address} no"
                            + " longer knows that cluster: it lost its data, or its address belongs"
                            + " to another cluster now. Correct cluster.coordination"
                            + OR_ADOPT,
                    "owner",
                    owner.description(),
                    "address",
                    owner.address());
        }
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the store belongs to {owner}, but this server is one of {configured}. Set"
                        + " cluster.coordination = \"{address}\""
                        + OR_ADOPT,
                "owner",
                owner.description(),
                "configured",
                identity.description(),
                "address",
                owner.address());
    }

    private static PetrichorException contended() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "other servers kept claiming the store at the same time; retry",
                "attempts",
                ATTEMPTS_MAX);
    }
}
