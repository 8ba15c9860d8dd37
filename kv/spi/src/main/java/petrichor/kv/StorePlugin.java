package petrichor.kv;

import java.util.Optional;
import java.util.Set;

/**
 * The service interface of a module under {@code kv/}: opens the stores whose addresses have its
 * scheme. Found by {@link java.util.ServiceLoader} on the plugin's own class path, which contains
 * only {@code petrichor.base} and {@code petrichor.kv} of Petrichor's classes, so that drivers
 * cannot conflict.
 */
public interface StorePlugin {
    /** The schemes of the addresses that it opens, such as {@code cassandra}. */
    Set<String> schemes();

    /**
     * Connects, checks and opens. Waits for an unreachable store only as long as the address
     * allows.
     *
     * <p>Fails with {@code UNAVAILABLE} when the store does not respond; with {@code
     * FAILED_PRECONDITION} when it responds but cannot keep the guarantees of {@link KeyValueStore}
     * (its version, its configuration, a foreign table under our name); with {@code
     * UNAUTHENTICATED} or {@code PERMISSION_DENIED} when it rejects the login; with {@code
     * INVALID_ARGUMENT} for an address with unknown parts. Each error names the store and what to
     * do, in one line.
     */
    KeyValueStore open(StoreUrl url);

    /**
     * Like {@link #open}, but creates nothing: empty if the servers respond and are suitable, but
     * hold no Petrichor data under this address. For checks.
     */
    default Optional<KeyValueStore> openIfInitialized(StoreUrl url) {
        return Optional.of(open(url));
    }
}
