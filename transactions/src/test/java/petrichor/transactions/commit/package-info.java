/** Tests of transactions, on the stores that can be had in a test. */
@NullMarked
package petrichor.transactions.commit;

import org.jspecify.annotations.NullMarked;
