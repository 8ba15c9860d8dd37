/** Tests of transactions, on stores that need no server. */
@NullMarked
package petrichor.transactions.rows;

import org.jspecify.annotations.NullMarked;
