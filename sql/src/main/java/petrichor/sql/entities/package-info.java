/**
 * Kinds of entities as tables: columns inferred from entities, and reads and writes of entities in
 * the transaction of a session. Independent of H2.
 */
@NullMarked
package petrichor.sql.entities;

import org.jspecify.annotations.NullMarked;
