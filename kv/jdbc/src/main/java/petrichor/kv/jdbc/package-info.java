/**
 * PostgreSQL and MariaDB (also as a Galera cluster) as datastores, through JDBC. {@link
 * petrichor.kv.jdbc.SqlStore} is what both share; a {@link petrichor.kv.jdbc.SqlDialect} is how one
 * of them is spoken to. One SQL table holds the rows of one of our tables, and a durable step is
 * one transaction that is sent in one message.
 */
@NullMarked
package petrichor.kv.jdbc;

import org.jspecify.annotations.NullMarked;
