/** Tests of transactions, on stores that need no server. */
@NullMarked
package petrichor.transactions.databases;

import org.jspecify.annotations.NullMarked;
