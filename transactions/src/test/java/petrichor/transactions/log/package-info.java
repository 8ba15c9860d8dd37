/** Tests of transactions, on stores that need no server. */
@NullMarked
package petrichor.transactions.log;

import org.jspecify.annotations.NullMarked;
