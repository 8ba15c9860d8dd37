/**
 * PostgreSQL and MariaDB (also as a Galera cluster) as datastores, through JDBC. {@link
 * petrichor.kv.jdbc.SqlStore} is the common part; a {@link petrichor.kv.jdbc.SqlDialect} contains
 * what is specific to one database. One SQL table holds the rows of one table of the store, and a
 * durable step is one transaction that is sent in one message.
 */
@NullMarked
package petrichor.kv.jdbc;

import org.jspecify.annotations.NullMarked;
