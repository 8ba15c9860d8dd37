/**
 * Databases over one or several stores: their catalog, ownership and transactions, and followers on
 * other servers.
 */
@NullMarked
package petrichor.transactions.databases;

import org.jspecify.annotations.NullMarked;
