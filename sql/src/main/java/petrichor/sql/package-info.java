/**
 * SQL over {@link petrichor.tables}: sessions that own transactions, savepoints and the atomicity
 * of statements, and run each statement on H2 as a library.
 *
 * <p>A front end opens a {@link petrichor.sql.SqlDatabase}, and a {@link petrichor.sql.SqlSession}
 * per connection. All of H2 is in the package {@code h2}: a database in memory that holds the
 * catalog of one schema version, with tables that read and write our rows.
 */
@NullMarked
package petrichor.sql;

import org.jspecify.annotations.NullMarked;
