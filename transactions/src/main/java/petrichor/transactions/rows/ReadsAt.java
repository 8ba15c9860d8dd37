package petrichor.transactions.rows;

import java.util.List;
import petrichor.kv.KeyRange;

/**
 * Reads at one version, which must not have been overwritten since.
 *
 * @param keys rows read one by one, whether they existed or not
 * @param ranges scanned ranges, up to where the reader stopped
 */
public record ReadsAt(long version, List<byte[]> keys, List<KeyRange> ranges) {}
