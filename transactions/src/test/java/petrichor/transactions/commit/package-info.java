/** Tests of transactions, on stores that need no server. */
@NullMarked
package petrichor.transactions.commit;

import org.jspecify.annotations.NullMarked;
