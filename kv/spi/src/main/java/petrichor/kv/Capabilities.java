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
 * @param keyBytesMax longest key, in bytes
 * @param valueBytesMax longest value, in bytes
 */
public record Capabilities(
        boolean atomicBatch,
        boolean nativeViews,
        boolean nativeOrder,
        boolean nativeRangeDelete,
        boolean durable,
        int keyBytesMax,
        int valueBytesMax) {}
