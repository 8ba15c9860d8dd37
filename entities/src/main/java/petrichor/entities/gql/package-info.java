/**
 * GQL, the SQL-like query language of Datastore: parses text and bindings into the same messages
 * that a client builds by hand. {@link petrichor.entities.gql.Gql} is the entry point; {@code
 * Lexer} produces tokens, {@code Parser} implements the grammar, {@code Bindings} supplies the
 * bound values. No I/O, no state.
 */
@NullMarked
package petrichor.entities.gql;

import org.jspecify.annotations.NullMarked;
