/**
 * HBase as a store: one HBase table for each table, in a dedicated namespace; a row is one cell
 * whose HBase timestamp is its version. {@link petrichor.kv.hbase.StoredRow} describes the encoding
 * of rows, and why a deletion is a cell.
 */
@NullMarked
package petrichor.kv.hbase;

import org.jspecify.annotations.NullMarked;
