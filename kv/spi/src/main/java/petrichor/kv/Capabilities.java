package petrichor.kv;

/**
 * What a store can do beyond the contract. Upper layers use it for speed only, never for
 * correctness; correctness rests on {@link KeyValueStore} and on the kind of {@link DurableStep}.
 *
 * @param atomicBatch a {@link WriteBatch} is applied as a whole or not at all
 * @param nativeViews {@link KeyValueStore#view()} is offered
 * @param nativeOrder keys are ordered by the store itself, not by the plugin
 * @param nativeRangeDelete a range is deleted without reading it
 * @param durable what was acknowledged survives the loss of power
 * @param limits the largest keys, values and batches that it takes
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
