/**
 * Locks on rows and ranges, and waiting for them. Locks affect only progress, never correctness.
 */
@NullMarked
package petrichor.transactions.locks;

import org.jspecify.annotations.NullMarked;
