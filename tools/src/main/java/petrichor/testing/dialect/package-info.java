/**
 * {@code petrichor lab dialect}: runs PostgreSQL's own regression scripts against a PostgreSQL
 * server and against ours, through {@code psql}, and compares rows and SQLSTATEs statement by
 * statement.
 */
@NullMarked
package petrichor.testing.dialect;

import org.jspecify.annotations.NullMarked;
