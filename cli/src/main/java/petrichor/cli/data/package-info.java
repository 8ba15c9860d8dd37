/**
 * Commands for the data of a database: queries, indexes, export and import, the change feed, and
 * moves to another store.
 */
@NullMarked
package petrichor.cli.data;

import org.jspecify.annotations.NullMarked;
