/**
 * The storage format of rows and their history, and MVCC reads at a version: from memory, from
 * caches, and from the store.
 */
@NullMarked
package petrichor.transactions.rows;

import org.jspecify.annotations.NullMarked;
