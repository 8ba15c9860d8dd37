/**
 * GQL, the SQL-like query language of Datastore: text and bindings become the same messages that a
 * client builds by hand. {@link petrichor.entities.gql.Gql} is the way in; {@code Lexer} makes
 * tokens, {@code Parser} follows the grammar, {@code Bindings} supplies what the text leaves open.
 * No I/O, no state.
 */
@NullMarked
package petrichor.entities.gql;

import org.jspecify.annotations.NullMarked;
