/**
 * Live migration of a database from one store to another: {@link
 * petrichor.transactions.migration.Migration} copies its rows, applies the steps that were captured
 * in the meantime, compares both stores and switches; {@link
 * petrichor.transactions.migration.MovableCommitPoint} is the commit point that moves.
 */
@NullMarked
package petrichor.transactions.migration;

import org.jspecify.annotations.NullMarked;
