/**
 * Databases of one store or several: their catalog, their owner, their transactions, and readers on
 * other servers.
 */
@NullMarked
package petrichor.transactions.databases;

import org.jspecify.annotations.NullMarked;
