/** Tests of transactions, on stores that need no server. */
@NullMarked
package petrichor.transactions.scheduling;

import org.jspecify.annotations.NullMarked;
