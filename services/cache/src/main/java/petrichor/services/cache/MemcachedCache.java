package petrichor.services.cache;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import net.rubyeye.xmemcached.GetsResponse;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * The cache of one app in memcached. A key there is the hash of project, generation, namespace and
 * key; a flush starts a new generation, because memcached can only delete the items of all apps.
 * The owner of the app's database is the only one that uses the cache, and serializes the writes of
 * a key with a lock in memory.
 */
final class MemcachedCache implements Cache {
    private static final String PREFIX = "petrichor:";
    private static final byte[] EMPTY = {};

    private static final int LOCKS = 64;

    /** A former owner of the database may finish a last write. */
    private static final int ATTEMPTS_MAX = 10;

    private final MemcachedServers servers;
    private final String project;
    private final TimeSource time;
    private final Supplier<String> random;
    private final CacheCounters counters = new CacheCounters();
    private final Object[] locks = new Object[LOCKS];
    private final String generationKey;
    private volatile byte[] generation;

    /**
     * @param random a text that was never used before
     */
    MemcachedCache(
            MemcachedServers servers, String project, TimeSource time, Supplier<String> random) {
        this.servers = servers;
        this.project = project;
        this.time = time;
        this.random = random;
        Arrays.setAll(locks, _ -> new Object());
        this.generationKey = hashed(new OrderedWriter().putString(project).toBytes());
        this.generation = storedGeneration();
    }

    private byte[] storedGeneration() {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            MemcachedServers.Found found = servers.get(generationKey);
            if (found != null) {
                return MemcachedItem.decode(found.value()).value();
            }
            MemcachedItem fresh = freshGeneration();
            if (servers.add(generationKey, fresh)) {
                return fresh.value();
            }
        }
        throw contended();
    }

    private MemcachedItem freshGeneration() {
        return new MemcachedItem(
                false, 0, Expiry.NEVER, random.get().getBytes(StandardCharsets.US_ASCII));
    }

    private String stored(CacheKey key) {
        return hashed(
                new OrderedWriter()
                        .putString(project)
                        .putString(generation)
                        .putString(key.namespace())
                        .putString(key.key().array())
                        .toBytes());
    }

    private static String hashed(byte[] bytes) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
            return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private Object lock(CacheKey key) {
        return locks[Math.floorMod(key.hashCode(), LOCKS)];
    }

    @Override
    public Map<CacheKey, CacheItem> get(List<CacheKey> keys) {
        Map<CacheKey, CacheItem> found = peek(keys);
        found.values().removeIf(CacheItem::locked);
        for (CacheKey key : keys) {
            CacheItem item = found.get(key);
            if (item == null) {
                counters.miss();
            } else {
                counters.hit(key.key().array().length + item.value().length);
            }
        }
        return found;
    }

    @Override
    public Map<CacheKey, CacheItem> peek(List<CacheKey> keys) {
        Map<String, CacheKey> byStored = HashMap.newHashMap(keys.size());
        keys.forEach(key -> byStored.put(stored(key), key));
        Map<CacheKey, CacheItem> found = HashMap.newHashMap(keys.size());
        long now = time.epochMicros();
        for (Map.Entry<String, GetsResponse<byte[]>> one :
                servers.get(List.copyOf(byStored.keySet())).entrySet()) {
            MemcachedItem item = MemcachedItem.decode(one.getValue().getValue());
            CacheKey key = byStored.get(one.getKey());
            if (key != null && !item.expiry().hasPassed(now)) {
                found.put(key, item.item(one.getValue().getCas()));
            }
        }
        return found;
    }

    /** The item or lock of a key, if there is one. */
    private @Nullable CacheItem find(CacheKey key) {
        return peek(List.of(key)).get(key);
    }

    @Override
    public StoreOutcome store(
            CacheKey key, byte[] value, int flags, Expiry expiry, StorePolicy policy) {
        if (value.length > VALUE_BYTES_MAX) {
            return StoreOutcome.TOO_LARGE;
        }
        MemcachedItem item = new MemcachedItem(false, flags, expiry, value);
        synchronized (lock(key)) {
            return switch (policy) {
                case StorePolicy.Set _ ->
                        servers.set(stored(key), item)
                                ? StoreOutcome.STORED
                                : StoreOutcome.NO_MEMORY;
                case StorePolicy.Add _ ->
                        (find(key) == null && write(key, item, null))
                                ? StoreOutcome.STORED
                                : StoreOutcome.NOT_STORED;
                case StorePolicy.Replace _ -> {
                    CacheItem known = find(key);
                    boolean present = known != null && !known.locked();
                    yield (present && write(key, item, known))
                            ? StoreOutcome.STORED
                            : StoreOutcome.NOT_STORED;
                }
                case StorePolicy.CompareAndSet(long casId) -> compareAndSet(key, item, casId);
            };
        }
    }

    private StoreOutcome compareAndSet(CacheKey key, MemcachedItem item, long casId) {
        CacheItem known = find(key);
        if (known == null || known.locked()) {
            return StoreOutcome.NOT_STORED;
        }
        return (known.casId() == casId && write(key, item, known))
                ? StoreOutcome.STORED
                : StoreOutcome.CHANGED;
    }

    /** Replaces what was read. An expired item may still be there: memcached's clock is another. */
    private boolean write(CacheKey key, MemcachedItem item, @Nullable CacheItem known) {
        String stored = stored(key);
        if (known == null) {
            return servers.add(stored, item) || servers.set(stored, item);
        }
        return servers.compareAndSet(stored, item, known.casId());
    }

    @Override
    public boolean delete(CacheKey key, Expiry lock) {
        synchronized (lock(key)) {
            if (find(key) == null) {
                return false;
            }
            boolean locks = !lock.isNever() && !lock.hasPassed(time.epochMicros());
            return locks
                    ? servers.set(stored(key), new MemcachedItem(true, 0, lock, EMPTY))
                    : servers.delete(stored(key));
        }
    }

    @Override
    public CounterOutcome count(CacheKey key, CounterStep step) {
        synchronized (lock(key)) {
            for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
                CacheItem known = find(key);
                long before;
                int flags;
                Expiry expiry = Expiry.NEVER;
                if (known == null || known.locked()) {
                    Optional<CounterStep.Initial> initial = step.initial();
                    if (initial.isEmpty()) {
                        return new CounterOutcome.Missing();
                    }
                    before = initial.get().value();
                    flags = initial.get().flags();
                } else {
                    OptionalLong value = CounterValue.decode(known.value());
                    if (value.isEmpty()) {
                        return new CounterOutcome.NotNumber();
                    }
                    before = value.getAsLong();
                    flags = known.flags();
                    expiry = known.expiry();
                }
                long after = step.applied(before);
                if (write(
                        key,
                        new MemcachedItem(false, flags, expiry, CounterValue.encode(after)),
                        known)) {
                    return new CounterOutcome.Counted(after);
                }
            }
            throw contended();
        }
    }

    @Override
    public boolean touch(CacheKey key, Expiry expiry) {
        synchronized (lock(key)) {
            CacheItem known = find(key);
            return known != null
                    && !known.locked()
                    && write(
                            key,
                            new MemcachedItem(false, known.flags(), expiry, known.value()),
                            known);
        }
    }

    /** The items of the former generation stay until memcached needs their memory. */
    @Override
    public void flush() {
        MemcachedItem fresh = freshGeneration();
        if (!servers.set(generationKey, fresh)) {
            throw contended();
        }
        generation = fresh.value();
        counters.reset();
    }

    private static PetrichorException contended() {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE, "memcached did not store an item; retry later");
    }

    @Override
    public CacheStatistics statistics() {
        return counters.statistics(Optional.empty());
    }
}
