/**
 * Commit points: the atomic batch of a store that supports it, and a write-ahead log over any other
 * store, including its application to the rows and its takeover by another owner.
 */
@NullMarked
package petrichor.transactions.log;

import org.jspecify.annotations.NullMarked;
