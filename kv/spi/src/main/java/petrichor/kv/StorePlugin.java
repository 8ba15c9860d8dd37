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
     * Connects, checks and opens. Waits for a store that is away only as long as the address
     * allows.
     *
     * <p>Fails with {@code UNAVAILABLE} when nobody answers; with {@code FAILED_PRECONDITION} when
     * the store answers but cannot keep what {@link KeyValueStore} promises (its version, the way
     * in which it is configured, a foreign table under our name); with {@code UNAUTHENTICATED} or
     * {@code PERMISSION_DENIED} when it does not let us in; with {@code INVALID_ARGUMENT} for an
     * address that says something unknown. Each names the store and what to do, in one line.
     */
    KeyValueStore open(StoreUrl url);

    /** For benchmarks; empty if the plugin has nothing to offer. Fails as {@link #open} does. */
    default Optional<RawRows> rawRows(StoreUrl url) {
        return Optional.empty();
    }
}
