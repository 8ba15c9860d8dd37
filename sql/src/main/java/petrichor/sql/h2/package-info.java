/**
 * H2 as a library, confined to this package: its parser, optimizer and executor run over our tables
 * and indexes.
 *
 * <p>A {@link petrichor.sql.h2.H2Catalog} is an H2 database in memory that holds the definitions of
 * one version of the catalog and no rows. A {@link petrichor.sql.h2.RowTable} reads and writes the
 * rows of a table through the transaction of the {@link petrichor.sql.h2.RowSession} that executes
 * a statement. H2's own transactions, sequences and results cache are not used: an H2 session
 * commits after each statement, which has no effect on rows.
 *
 * <p>H2 plans with the costs of {@link petrichor.sql.h2.RowEstimate} and joins by nested loops.
 * After it has planned a statement, each step gets a {@link petrichor.sql.h2.RowIndex} of its own,
 * through which {@link petrichor.sql.h2.JoinReads} reads the rows of many searches at once.
 *
 * <p>A schema change runs on an H2Catalog of its own. What it defines afterwards is written to the
 * stored catalog in the transaction that also holds the changed rows.
 */
@NullMarked
package petrichor.sql.h2;

import org.jspecify.annotations.NullMarked;
