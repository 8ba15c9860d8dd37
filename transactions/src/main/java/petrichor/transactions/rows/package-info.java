/**
 * How rows and their history are stored, and how a version of them is read: from memory, from
 * caches, and from the store.
 */
@NullMarked
package petrichor.transactions.rows;

import org.jspecify.annotations.NullMarked;
