/**
 * The change feed of a database as entities: decodes the rows of commits and selects those that a
 * reader wants.
 */
@NullMarked
package petrichor.entities.changes;

import org.jspecify.annotations.NullMarked;
