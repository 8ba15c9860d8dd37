/**
 * The analytics engine of SQL: DuckDB in a process of its own, which the server starts, limits and
 * restarts. A crash of the process fails the queries that run in it and nothing else.
 *
 * <p>{@link petrichor.analytics.Analytics} executes queries of sessions. For each database, {@link
 * petrichor.analytics.DatabaseSegments} keeps <em>segments</em> in the worker: copies of tables at
 * one version, in DuckDB's columns. A query of a newer version first adds the rows that the change
 * feed names; the first query of a table scans its key ranges in parallel ({@link
 * petrichor.analytics.RowStreams}). The package {@code worker} is the program of the process, and
 * {@link petrichor.analytics.Wire} the protocol between both, over a Unix socket.
 */
@NullMarked
package petrichor.analytics;

import org.jspecify.annotations.NullMarked;
