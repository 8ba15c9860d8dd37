/** Tells the author of a {@link petrichor.coordination.Ledger} when it is done. */
@NullMarked
package petrichor.coordination.testkit;

import org.jspecify.annotations.NullMarked;
