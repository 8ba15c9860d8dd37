package petrichor.kv;

/**
 * Maximum sizes of keys, values and batches that a store accepts. A plugin derives them from what
 * its servers report when the store is opened; it assumes a limit only if the servers do not report
 * it. {@link StoreFailures#requireFits} refuses larger ones before anything is sent.
 *
 * @param keyBytesMax longest key, in bytes
 * @param valueBytesMax longest value, in bytes
 * @param batchBytesMax maximum bytes of keys and values in one {@link WriteBatch}; {@link
 *     #UNLIMITED} if the plugin divides a batch into requests that the servers accept
 */
public record StoreLimits(int keyBytesMax, int valueBytesMax, long batchBytesMax) {
    public static final long UNLIMITED = Long.MAX_VALUE;

    public StoreLimits {
        if (keyBytesMax < 1 || valueBytesMax < 1 || batchBytesMax < 1) {
            throw new IllegalArgumentException("the limits of a store must be positive");
        }
    }

    /** For a store that divides batches of any size into requests. */
    public StoreLimits(int keyBytesMax, int valueBytesMax) {
        this(keyBytesMax, valueBytesMax, UNLIMITED);
    }

    public StoreLimits withValueBytesMax(int bytes) {
        return new StoreLimits(keyBytesMax, bytes, batchBytesMax);
    }
}
