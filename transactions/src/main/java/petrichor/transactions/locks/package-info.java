/**
 * Locks on rows and ranges, and the waits for them. They decide who waits, never what is correct.
 */
@NullMarked
package petrichor.transactions.locks;

import org.jspecify.annotations.NullMarked;
