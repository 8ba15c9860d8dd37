package petrichor.services.cache;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;

/**
 * The cache of one app in memory. Evicts the least recently used items when memory is short. One
 * lock guards it, and is held only for operations on memory.
 */
final class LruCache implements Cache {
    /** Objects and references of an item besides the bytes of its key and value, measured. */
    static final int ITEM_OVERHEAD_BYTES = 240;

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final byte[] EMPTY = {};

    private final CacheMemory memory;
    private final TimeSource time;
    private final CacheCounters counters = new CacheCounters();

    /** In the order of use, the least recently used item first. */
    private final LinkedHashMap<CacheKey, Entry> entries = new LinkedHashMap<>();

    /** Of keys and values. */
    private long bytes;

    /** Entries that are locks, not items. */
    private int locks;

    /** Reserved memory. */
    private final AtomicLong held = new AtomicLong();

    /** Starts at the time, so that an id is not used again after a flush or a change of owner. */
    private long lastCasId;

    private boolean closed;

    /** An item, or the lock of a deleted one. */
    private static final class Entry {
        private final byte[] value;
        private final int flags;
        private final long casId;
        private final boolean locked;
        private Expiry expiry;
        private long usedMicros;

        Entry(byte[] value, int flags, long casId, boolean locked, Expiry expiry, long now) {
            this.value = value;
            this.flags = flags;
            this.casId = casId;
            this.locked = locked;
            this.expiry = expiry;
            this.usedMicros = now;
        }

        CacheItem item() {
            return new CacheItem(
                    value,
                    flags,
                    casId,
                    locked,
                    expiry,
                    OptionalLong.of(usedMicros / MICROS_PER_SECOND));
        }
    }

    LruCache(CacheMemory memory, TimeSource time) {
        this.memory = memory;
        this.time = time;
        this.lastCasId = time.epochMicros();
    }

    @Override
    public synchronized Map<CacheKey, CacheItem> get(List<CacheKey> keys) {
        Map<CacheKey, CacheItem> found = HashMap.newHashMap(keys.size());
        long now = time.epochMicros();
        for (CacheKey key : keys) {
            Entry entry = live(key, now);
            if (entry == null || entry.locked) {
                counters.miss();
                continue;
            }
            entry.usedMicros = now;
            entries.putLast(key, entry);
            counters.hit(key.key().array().length + entry.value.length);
            found.put(key, entry.item());
        }
        return found;
    }

    @Override
    public synchronized Map<CacheKey, CacheItem> peek(List<CacheKey> keys) {
        Map<CacheKey, CacheItem> found = HashMap.newHashMap(keys.size());
        long now = time.epochMicros();
        for (CacheKey key : keys) {
            Entry entry = live(key, now);
            if (entry != null) {
                found.put(key, entry.item());
            }
        }
        return found;
    }

    @Override
    public StoreOutcome store(
            CacheKey key, byte[] value, int flags, Expiry expiry, StorePolicy policy) {
        if (value.length > VALUE_BYTES_MAX) {
            return StoreOutcome.TOO_LARGE;
        }
        long size = size(key, value.length);
        if (!memory.reserve(this, size)) {
            return StoreOutcome.NO_MEMORY;
        }
        StoreOutcome outcome;
        synchronized (this) {
            long now = time.epochMicros();
            outcome = decision(live(key, now), policy);
            if (outcome == StoreOutcome.STORED && !closed) {
                put(key, new Entry(value, flags, nextCasId(), false, expiry, now));
                return outcome;
            }
        }
        memory.release(size);
        return outcome;
    }

    private static StoreOutcome decision(@Nullable Entry known, StorePolicy policy) {
        boolean present = known != null && !known.locked;
        return switch (policy) {
            case StorePolicy.Set _ -> StoreOutcome.STORED;
            case StorePolicy.Add _ -> storedIf(known == null);
            case StorePolicy.Replace _ -> storedIf(present);
            case StorePolicy.CompareAndSet(long casId) -> {
                if (known == null || known.locked) {
                    yield StoreOutcome.NOT_STORED;
                }
                yield known.casId == casId ? StoreOutcome.STORED : StoreOutcome.CHANGED;
            }
        };
    }

    private static StoreOutcome storedIf(boolean met) {
        return met ? StoreOutcome.STORED : StoreOutcome.NOT_STORED;
    }

    @Override
    public synchronized boolean delete(CacheKey key, Expiry lock) {
        long now = time.epochMicros();
        Entry known = live(key, now);
        if (known == null) {
            return false;
        }
        remove(key);
        if (!lock.isNever() && !lock.hasPassed(now)) {
            // Needs no more memory than the item.
            long size = size(key, 0);
            if (memory.reserveNow(size)) {
                put(key, new Entry(EMPTY, 0, nextCasId(), true, lock, now));
            }
        }
        return true;
    }

    @Override
    public CounterOutcome count(CacheKey key, CounterStep step) {
        long size = size(key, CounterValue.DIGITS_MAX);
        if (!memory.reserve(this, size)) {
            return new CounterOutcome.NoMemory();
        }
        CounterOutcome outcome = new CounterOutcome.Missing();
        synchronized (this) {
            if (!closed) {
                outcome = counted(key, step);
                if (outcome instanceof CounterOutcome.Counted(long value)) {
                    size -= size(key, CounterValue.encode(value).length);
                }
            }
        }
        memory.release(size);
        return outcome;
    }

    /** Puts the counter, whose memory is reserved. */
    private CounterOutcome counted(CacheKey key, CounterStep step) {
        long now = time.epochMicros();
        Entry known = live(key, now);
        long before;
        int flags;
        Expiry expiry;
        if (known == null || known.locked) {
            if (step.initial().isEmpty()) {
                return new CounterOutcome.Missing();
            }
            before = step.initial().get().value();
            flags = step.initial().get().flags();
            expiry = Expiry.NEVER;
        } else {
            OptionalLong value = CounterValue.decode(known.value);
            if (value.isEmpty()) {
                return new CounterOutcome.NotNumber();
            }
            before = value.getAsLong();
            flags = known.flags;
            expiry = known.expiry;
        }
        long after = step.applied(before);
        put(key, new Entry(CounterValue.encode(after), flags, nextCasId(), false, expiry, now));
        return new CounterOutcome.Counted(after);
    }

    @Override
    public synchronized boolean touch(CacheKey key, Expiry expiry) {
        long now = time.epochMicros();
        Entry entry = live(key, now);
        if (entry == null || entry.locked) {
            return false;
        }
        entry.expiry = expiry;
        entry.usedMicros = now;
        entries.putLast(key, entry);
        return true;
    }

    @Override
    public synchronized void flush() {
        clear();
        counters.reset();
    }

    /** Releases all memory; nothing is stored afterwards. */
    synchronized void close() {
        closed = true;
        clear();
    }

    private void clear() {
        if (!entries.isEmpty()) {
            entries.clear();
            memory.left();
        }
        bytes = 0;
        locks = 0;
        memory.release(held.getAndSet(0));
    }

    @Override
    public synchronized CacheStatistics statistics() {
        long oldest =
                entries.isEmpty()
                        ? 0
                        : (time.epochMicros() - entries.firstEntry().getValue().usedMicros)
                                / MICROS_PER_SECOND;
        return counters.statistics(
                Optional.of(
                        new CacheStatistics.Contents(
                                entries.size() - locks, bytes, Math.max(0, oldest))));
    }

    /** False if there is no item. */
    synchronized boolean evictOldest() {
        if (entries.isEmpty()) {
            return false;
        }
        remove(entries.firstEntry().getKey());
        return true;
    }

    /** Memory of the items. */
    long heldBytes() {
        return held.get();
    }

    /** The item or lock, unless it has expired. */
    private @Nullable Entry live(CacheKey key, long now) {
        Entry entry = entries.get(key);
        if (entry != null && entry.expiry.hasPassed(now)) {
            remove(key);
            return null;
        }
        return entry;
    }

    /** The memory of the new entry is reserved already. */
    private void put(CacheKey key, Entry entry) {
        remove(key);
        if (entries.isEmpty()) {
            memory.joined();
        }
        entries.putLast(key, entry);
        bytes += bytes(key, entry);
        locks += entry.locked ? 1 : 0;
        held.addAndGet(size(key, entry.value.length));
    }

    private void remove(CacheKey key) {
        Entry removed = entries.remove(key);
        if (removed == null) {
            return;
        }
        if (entries.isEmpty()) {
            memory.left();
        }
        long size = size(key, removed.value.length);
        bytes -= bytes(key, removed);
        locks -= removed.locked ? 1 : 0;
        held.addAndGet(-size);
        memory.release(size);
    }

    /** As statistics count them. */
    private static long bytes(CacheKey key, Entry entry) {
        return entry.locked ? 0 : (long) key.key().array().length + entry.value.length;
    }

    private static long size(CacheKey key, int valueBytes) {
        return (long) ITEM_OVERHEAD_BYTES
                + key.key().array().length
                + key.namespace().length()
                + valueBytes;
    }

    private long nextCasId() {
        return ++lastCasId;
    }
}
