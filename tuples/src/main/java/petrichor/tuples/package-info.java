/**
 * Collections of tuples with tags, after DataDroplets (Vilaça, <i>Clouder</i>, 2012): {@code
 * collection -> (key -> (value, tags))}, in rows of a database. Each collection has a {@linkplain
 * petrichor.tuples.TuplePlacement placement}: an encoding of keys that stores tuples together that
 * are read together.
 *
 * <p>A {@link petrichor.tuples.TupleLayout} is a placement with everything that it depends on, and
 * never changes. It makes the rows of a tuple a function of the tuple: {@link
 * petrichor.tuples.TupleRows}. A write reads the rows that a tuple has and commits the difference
 * to those that it will have, so that a tuple can be found by key, by tag and by scan, or not at
 * all. Another placement is another layout: writes maintain both while the rows of the new one are
 * made, one commit switches reads over, and the old rows are removed afterwards ({@link
 * petrichor.tuples.LayoutWork}).
 */
@NullMarked
package petrichor.tuples;

import org.jspecify.annotations.NullMarked;
