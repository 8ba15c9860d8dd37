/** Tests of transactions, on stores that need no server. */
@NullMarked
package petrichor.transactions.locks;

import org.jspecify.annotations.NullMarked;
