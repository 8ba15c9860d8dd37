/** The conformance tests of a {@link petrichor.coordination.Ledger}. */
@NullMarked
package petrichor.coordination.testkit;

import org.jspecify.annotations.NullMarked;
