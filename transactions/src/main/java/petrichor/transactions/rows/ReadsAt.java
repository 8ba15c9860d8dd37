package petrichor.transactions.rows;

import java.util.List;
import petrichor.kv.KeyRange;

/**
 * What was read at one version, and must not have been written since.
 *
 * @param keys rows read one by one, whether they existed or not
 * @param ranges ranges scanned, only as far as the reader got
 */
public record ReadsAt(long version, List<byte[]> keys, List<KeyRange> ranges) {}
