package petrichor.services.cache;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;

/**
 * Divides the memory among the apps. The fair share of an app is an equal part for each app that
 * has items. An app may use more while memory is free. When none is free, an app at or above its
 * share evicts its own items, and an app below its share evicts those of the largest one; an app
 * that does not exceed its share therefore loses no item to others. Thread-safe.
 */
final class CacheMemory {
    private final MemoryBudget budget;
    private final Set<LruCache> caches = ConcurrentHashMap.newKeySet();
    private final AtomicInteger withItems = new AtomicInteger();

    /**
     * @param budget also bounded by that of the process
     */
    CacheMemory(MemoryBudget budget) {
        this.budget = budget;
    }

    void add(LruCache cache) {
        caches.add(cache);
    }

    void remove(LruCache cache) {
        caches.remove(cache);
    }

    /** An app has its first item. */
    void joined() {
        withItems.incrementAndGet();
    }

    /** An app has no items any more. */
    void left() {
        withItems.decrementAndGet();
    }

    /**
     * Reserves memory for an item, and evicts others if necessary. False if that is not possible.
     * The caller must hold the lock of no cache.
     */
    boolean reserve(LruCache cache, long bytes) {
        while (!budget.tryReserve(bytes)) {
            LruCache victim = victim(cache, bytes);
            if (victim == null || !victim.evictOldest()) {
                return false;
            }
        }
        return true;
    }

    /** Reserves memory that was just released; evicts nothing. */
    boolean reserveNow(long bytes) {
        return budget.tryReserve(bytes);
    }

    private @Nullable LruCache victim(LruCache cache, long bytes) {
        long held = cache.heldBytes();
        int apps = withItems.get() + (held == 0 ? 1 : 0);
        long share = budget.bytesMax() / Math.max(1, apps);
        if (bytes > budget.bytesMax()) {
            return null;
        }
        if (held > 0 && held + bytes > share) {
            return cache;
        }
        LruCache largest = cache;
        for (LruCache other : caches) {
            if (other.heldBytes() > largest.heldBytes()) {
                largest = other;
            }
        }
        // If no app exceeds its share, the process itself has no memory left.
        return largest.heldBytes() > share || largest.equals(cache) ? largest : cache;
    }

    void release(long bytes) {
        if (bytes > 0) {
            budget.release(bytes);
        }
    }
}
