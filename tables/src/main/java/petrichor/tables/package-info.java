/**
 * Tables in rows of a database: a versioned catalog of schemas, tables, indexes, constraints,
 * sequences and views; rows and index entries in order-preserving encodings; transactions that
 * buffer their writes, read them back, and undo a part of them.
 *
 * <p>A {@link petrichor.tables.TableTransaction} reads at one version and commits a row together
 * with its index entries. The catalog is stored in the same rows. Two versions of it are live at a
 * time: the commit of a transaction validates that the catalog has changed at most once since its
 * snapshot, and in a way that leaves its writes correct, on every server, without leases or waits.
 */
@NullMarked
package petrichor.tables;

import org.jspecify.annotations.NullMarked;
