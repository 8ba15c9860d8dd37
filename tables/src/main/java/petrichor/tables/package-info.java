/**
 * Tables in rows of a database: a versioned catalog of schemas, tables, indexes, constraints,
 * sequences and views; rows and index entries in order-preserving encodings; transactions that
 * buffer their writes, read them back, and undo a part of them.
 *
 * <p>A {@link petrichor.tables.TableTransaction} reads at one version and commits a row together
 * with its index entries. The catalog is stored in the same rows, and every transaction reads the
 * catalog's version: a schema change therefore conflicts with each open transaction that writes
 * under the previous schema, on every server, without leases or waits.
 */
@NullMarked
package petrichor.tables;

import org.jspecify.annotations.NullMarked;
