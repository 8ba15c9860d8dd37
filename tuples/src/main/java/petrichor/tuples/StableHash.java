package petrichor.tuples;

import java.nio.charset.StandardCharsets;

/** A hash that is stored in keys of rows, and therefore never changes: 64 bits of FNV-1a, mixed. */
final class StableHash {
    private static final long BASIS = 0xCBF29CE484222325L;
    private static final long PRIME = 0x100000001B3L;
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private StableHash() {}

    /** From 0 to {@code buckets - 1}. */
    static int bucket(String key, int buckets) {
        long hash = BASIS;
        for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xFF)) * PRIME;
        }
        hash *= MIX;
        return (int) (((hash >>> Integer.SIZE) * buckets) >>> Integer.SIZE);
    }
}
