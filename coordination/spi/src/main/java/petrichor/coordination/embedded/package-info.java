/** A {@link petrichor.coordination.Ledger} for servers that all run in this process. */
@NullMarked
package petrichor.coordination.embedded;

import org.jspecify.annotations.NullMarked;
