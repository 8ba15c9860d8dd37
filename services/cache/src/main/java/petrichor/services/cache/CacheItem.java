package petrichor.services.cache;

import java.util.OptionalLong;

/**
 * An item as read.
 *
 * @param value must not be changed; empty for a locked key
 * @param flags of the client, which encode the type of the value
 * @param casId changes with every write of the key
 * @param locked the item was deleted, and its key is locked
 * @param expiry or the end of the lock
 * @param usedSeconds last use, seconds since 1970; empty if the cache does not record it
 */
public record CacheItem(
        byte[] value,
        int flags,
        long casId,
        boolean locked,
        Expiry expiry,
        OptionalLong usedSeconds) {}
