package petrichor.testing.simulation;

import java.util.List;
import petrichor.kv.KeyRange;
import petrichor.transactions.Row;

/**
 * What was read of a range, or of one key, down to the bytes.
 *
 * @param seen only as far as the reader got
 * @param rows in order of their keys
 */
record Observation(KeyRange seen, List<Row> rows) {}
