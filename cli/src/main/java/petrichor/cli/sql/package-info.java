/**
 * SQL from the command line, through PostgreSQL's JDBC driver: the shell ({@link
 * petrichor.cli.sql.SqlShell}), import and dump. {@link petrichor.cli.sql.Statements} splits text
 * into statements and commands, {@link petrichor.cli.sql.StatementRunner} runs one statement, and a
 * {@link petrichor.cli.sql.ResultWriter} formats its rows while they arrive.
 */
@NullMarked
package petrichor.cli.sql;

import org.jspecify.annotations.NullMarked;
