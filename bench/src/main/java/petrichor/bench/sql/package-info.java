/**
 * SQL compared with PostgreSQL: {@code pgbench}, TPC-C, YCSB, the cost of each layer above a
 * datastore, and several query engines over one. Start at {@link petrichor.bench.sql.SqlCommand}.
 */
@NullMarked
package petrichor.bench.sql;

import org.jspecify.annotations.NullMarked;
