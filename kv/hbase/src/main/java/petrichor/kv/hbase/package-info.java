/**
 * HBase as a store: one HBase table for each table, in a namespace of its own; a row is one cell
 * whose HBase timestamp is its version. {@link petrichor.kv.hbase.StoredRow} says how rows lie, and
 * why what is deleted stays as a cell of its own.
 */
@NullMarked
package petrichor.kv.hbase;

import org.jspecify.annotations.NullMarked;
