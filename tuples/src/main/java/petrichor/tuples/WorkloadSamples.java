package petrichor.tuples;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import petrichor.tuples.SampledOperation.SampledTuple;

/**
 * A uniform sample of the operations on each collection since the server started (reservoir
 * sampling, Vitter's algorithm R), in memory. An operation that is not drawn costs a lookup and a
 * counter. Thread-safe.
 */
final class WorkloadSamples {
    /** Operations that are kept per collection. */
    static final int OPERATIONS_MAX = 10_000;

    /** Tuples that are kept per operation. */
    static final int TUPLES_MAX = 100;

    /** What the samples of a server take in memory. */
    static final long BYTES_MAX = 32L << 20;

    private final AtomicLong bytes;
    private final RandomGenerator random;
    private final Map<String, Reservoir> reservoirs = new ConcurrentHashMap<>();
    private volatile boolean ended;

    /**
     * @param bytes that all samples take, shared by the databases of a server
     */
    WorkloadSamples(AtomicLong bytes, RandomGenerator random) {
        this.bytes = bytes;
        this.random = random;
    }

    /** The operations of one collection. */
    private final class Reservoir {
        private final AtomicLong seen = new AtomicLong();
        private final long seed = random.nextLong();
        private final List<SampledOperation> kept = new ArrayList<>();
        private volatile int capacity = OPERATIONS_MAX;

        void offer(Supplier<SampledOperation> operation) {
            long number = seen.incrementAndGet();
            if (number <= capacity || drawn(number) < capacity) {
                keep(operation.get());
            }
        }

        /** A random number below this one, without state: SplitMix64 of the number. */
        private long drawn(long number) {
            long z = seed + number * 0x9e3779b97f4a7c15L;
            z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
            z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
            return Long.remainderUnsigned(z ^ z >>> 31, number);
        }

        private synchronized void keep(SampledOperation operation) {
            if (ended) {
                return;
            }
            if (bytes.get() >= BYTES_MAX) {
                capacity = Math.max(1, kept.size());
            }
            if (kept.size() < capacity) {
                kept.add(operation);
                bytes.addAndGet(operation.bytes());
            } else {
                SampledOperation former = kept.set(random.nextInt(kept.size()), operation);
                bytes.addAndGet(operation.bytes() - former.bytes());
            }
        }

        synchronized List<SampledOperation> operations() {
            return List.copyOf(kept);
        }

        synchronized void clear() {
            kept.forEach(operation -> bytes.addAndGet(-operation.bytes()));
            kept.clear();
        }
    }

    private Reservoir of(String collection) {
        Reservoir known = reservoirs.get(collection);
        return known != null ? known : reservoirs.computeIfAbsent(collection, _ -> new Reservoir());
    }

    /** The operations on a collection that were kept. */
    List<SampledOperation> operations(String collection) {
        Reservoir reservoir = reservoirs.get(collection);
        return reservoir == null ? List.of() : reservoir.operations();
    }

    /** How many operations the collection had. */
    long seen(String collection) {
        Reservoir reservoir = reservoirs.get(collection);
        return reservoir == null ? 0 : reservoir.seen.get();
    }

    void forget(String collection) {
        Reservoir reservoir = reservoirs.remove(collection);
        if (reservoir != null) {
            reservoir.clear();
        }
    }

    /** Forgets everything, and keeps nothing more. */
    void end() {
        ended = true;
        reservoirs.values().forEach(Reservoir::clear);
    }

    private static List<SampledTuple> some(List<Tuple> tuples) {
        return tuples.stream().limit(TUPLES_MAX).map(SampledTuple::of).toList();
    }

    void get(String collection, List<String> keys, List<Tuple> found) {
        of(collection)
                .offer(
                        () ->
                                new SampledOperation.Get(
                                        keys.stream().limit(TUPLES_MAX).toList(), some(found)));
    }

    void range(String collection, KeySpan span, PageSize size, List<Tuple> found) {
        of(collection).offer(() -> new SampledOperation.Range(span, size, some(found)));
    }

    void find(String collection, TagFilter filter, PageSize size, List<Tuple> found) {
        of(collection).offer(() -> new SampledOperation.Find(filter, size, some(found)));
    }

    void write(List<TupleWrite> writes, WriteResult.Batch batch) {
        if (!batch.applied()) {
            return;
        }
        Map<String, List<Integer>> byCollection = new HashMap<>();
        for (int k = 0; k < writes.size(); k++) {
            byCollection.computeIfAbsent(writes.get(k).collection(), _ -> new ArrayList<>()).add(k);
        }
        byCollection.forEach(
                (collection, numbers) ->
                        of(collection).offer(() -> written(writes, batch, numbers)));
    }

    private static SampledOperation written(
            List<TupleWrite> writes, WriteResult.Batch batch, List<Integer> numbers) {
        List<SampledTuple> created = new ArrayList<>();
        List<SampledTuple> replaced = new ArrayList<>();
        List<String> deleted = new ArrayList<>();
        for (int k : numbers.subList(0, Math.min(TUPLES_MAX, numbers.size()))) {
            switch (writes.get(k)) {
                case TupleWrite.Put put -> {
                    Tuple tuple = new Tuple(put.key(), new byte[0], put.tags(), 0);
                    SampledTuple sampled = new SampledTuple(tuple, put.value().length);
                    if (batch.results().get(k) instanceof WriteResult.Stored stored) {
                        (stored.created() ? created : replaced).add(sampled);
                    }
                }
                case TupleWrite.Delete delete -> deleted.add(delete.key());
            }
        }
        return new SampledOperation.Write(created, replaced, deleted);
    }
}
