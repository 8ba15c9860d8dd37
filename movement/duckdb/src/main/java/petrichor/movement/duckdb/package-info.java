/**
 * Replicas that are no Petrichor: a DuckDB file, or Parquet files. {@link
 * petrichor.movement.duckdb.DuckReplica} answers the requests of a replication as a database of
 * another deployment does; kinds and tables become tables of the file, and the position is
 * committed together with the rows. DuckDB is native code, whose failure must not end a server: the
 * server starts a process for each replica.
 */
@NullMarked
package petrichor.movement.duckdb;

import org.jspecify.annotations.NullMarked;
