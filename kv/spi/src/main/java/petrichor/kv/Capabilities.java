package petrichor.kv;

/**
 * Optional features of a store beyond the contract. Upper layers use them for speed only, never for
 * correctness; correctness depends on {@link KeyValueStore} and on the kind of {@link DurableStep}.
 *
 * @param atomicBatch a {@link WriteBatch} is applied as a whole or not at all
 * @param nativeViews {@link KeyValueStore#view()} is supported
 * @param nativeOrder the store itself orders keys, not the plugin
 * @param nativeRangeDelete deletes a range without reading it
 * @param durable acknowledged writes survive a power failure
 * @param limits maximum sizes of keys, values and batches
 */
public record Capabilities(
        boolean atomicBatch,
        boolean nativeViews,
        boolean nativeOrder,
        boolean nativeRangeDelete,
        boolean durable,
        StoreLimits limits) {

    public int keyBytesMax() {
        return limits.keyBytesMax();
    }

    public int valueBytesMax() {
        return limits.valueBytesMax();
    }

    public Capabilities withLimits(StoreLimits other) {
        return new Capabilities(
                atomicBatch, nativeViews, nativeOrder, nativeRangeDelete, durable, other);
    }
}
