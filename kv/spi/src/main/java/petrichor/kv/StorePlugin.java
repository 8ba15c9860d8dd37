package petrichor.kv;

import java.util.Optional;
import java.util.Set;

/**
 * What a module under {@code kv/} offers to the assembly: it opens the stores whose addresses have
 * its scheme. Found by {@link java.util.ServiceLoader} on the plugin's own class path, which shows
 * it nothing of ours but {@code petrichor.base} and {@code petrichor.kv}: drivers never meet.
 */
public interface StorePlugin {
    /** The schemes of the addresses that it opens, such as {@code cassandra}. */
    Set<String> schemes();

    /**
     * Connects, checks and opens. Waits for an unreachable store only as long as the address
     * allows.
     *
     * <p>Fails with {@code UNAVAILABLE} when the store does not answer; with {@code
     * FAILED_PRECONDITION} when it answers but cannot keep the guarantees of {@link KeyValueStore}
     * (its version, its configuration, a foreign table under our name); with {@code
     * UNAUTHENTICATED} or {@code PERMISSION_DENIED} when it rejects the login; with {@code
     * INVALID_ARGUMENT} for an address with unknown parts. Each error names the store and what to
     * do, in one line.
     */
    KeyValueStore open(StoreUrl url);

    /**
     * As {@link #open}, but makes nothing: empty if the servers answer and are fit, and hold
     * nothing of ours under this address yet. For checks.
     */
    default Optional<KeyValueStore> openIfMade(StoreUrl url) {
        return Optional.of(open(url));
    }

    /** For benchmarks; empty if the plugin has nothing to offer. Fails as {@link #open} does. */
    default Optional<RawRows> rawRows(StoreUrl url) {
        return Optional.empty();
    }
}
