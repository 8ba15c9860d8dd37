package petrichor.kv;

/**
 * What a store can do beyond the contract, and its limits. Upper layers use the former for speed
 * only, never for correctness, which depends on {@link KeyValueStore} and on the kind of {@link
 * DurableStep}.
 *
 * @param views {@link KeyValueStore#view()} is supported
 * @param limits maximum sizes of keys, values and batches
 */
public record Capabilities(boolean views, StoreLimits limits) {
    public int keyBytesMax() {
        return limits.keyBytesMax();
    }

    public int valueBytesMax() {
        return limits.valueBytesMax();
    }

    public Capabilities withLimits(StoreLimits other) {
        return new Capabilities(views, other);
    }
}
