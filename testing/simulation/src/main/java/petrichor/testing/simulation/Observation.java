package petrichor.testing.simulation;

import java.util.List;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;

/**
 * Rows read of a range or of one key, byte for byte.
 *
 * @param seen the range as far as it was read
 * @param rows ordered by key
 */
record Observation(KeyRange seen, List<Row> rows) {}
