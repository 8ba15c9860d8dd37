/**
 * SQL compared with PostgreSQL: {@code pgbench}, TPC-C, and what SQL adds to the transactions below
 * it. Start at {@link petrichor.bench.sql.SqlCommand}.
 */
@NullMarked
package petrichor.bench.sql;

import org.jspecify.annotations.NullMarked;
