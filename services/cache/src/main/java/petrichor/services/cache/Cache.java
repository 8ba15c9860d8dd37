package petrichor.services.cache;

import java.util.List;
import java.util.Map;

/**
 * The cache of one app. An item may disappear at any time; while it is present, it is the newest
 * one. Operations on one key are atomic. Thread-safe; may block. UNAVAILABLE if a cache outside
 * this process does not answer.
 */
public interface Cache {
    /** Largest value in bytes: App Engine's 1 MB. */
    int VALUE_BYTES_MAX = 1_000_000;

    /** Keys of one {@link #get}, so that their values fit into memory. */
    int KEYS_PER_GET_MAX = 32;

    /**
     * The items with these keys; those that are missing or locked are not in the result.
     *
     * @param keys at most {@link #KEYS_PER_GET_MAX}
     */
    Map<CacheKey, CacheItem> get(List<CacheKey> keys);

    /**
     * The items with these keys, including locked ones. Does not count as a use of the items.
     *
     * @param keys at most {@link #KEYS_PER_GET_MAX}
     */
    Map<CacheKey, CacheItem> peek(List<CacheKey> keys);

    /**
     * @param expiry see {@link Expiry#of}
     */
    StoreOutcome store(CacheKey key, byte[] value, int flags, Expiry expiry, StorePolicy policy);

    /**
     * Deletes an item. False if there was none.
     *
     * @param lock until when the key can only be set, not added, replaced or compared and set;
     *     {@link Expiry#NEVER} for no lock
     */
    boolean delete(CacheKey key, Expiry lock);

    /** Adds to or subtracts from an item whose value is a decimal number. */
    CounterOutcome count(CacheKey key, CounterStep step);

    /** Changes the expiry of an item. False if there is none. */
    boolean touch(CacheKey key, Expiry expiry);

    /** Deletes all items of the app, and resets its statistics. */
    void flush();

    CacheStatistics statistics();
}
