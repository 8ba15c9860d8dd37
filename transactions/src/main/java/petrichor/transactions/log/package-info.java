/**
 * Commit points: the atomic batch of a store that has one, and a log over any other store, with its
 * application to the rows and its takeover by another owner.
 */
@NullMarked
package petrichor.transactions.log;

import org.jspecify.annotations.NullMarked;
