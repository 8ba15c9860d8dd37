/** Tests of transactions, on stores that need no server. */
@NullMarked
package petrichor.transactions.changes;

import org.jspecify.annotations.NullMarked;
