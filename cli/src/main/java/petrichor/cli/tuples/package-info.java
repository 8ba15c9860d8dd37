/** {@code petrichor tuple}: collections, their tuples and placements. */
@NullMarked
package petrichor.cli.tuples;

import org.jspecify.annotations.NullMarked;
