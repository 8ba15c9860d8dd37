/**
 * PostgreSQL's system catalogs, {@code pg_catalog} and {@code information_schema}: rows computed
 * from the definitions of one version of our catalog, and the statements of PostgreSQL's tools
 * rewritten so that H2 executes them over these rows.
 */
@NullMarked
package petrichor.sql.catalog;

import org.jspecify.annotations.NullMarked;
