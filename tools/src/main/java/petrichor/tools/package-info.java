/**
 * The developers' tools, {@code petrichor bench} and {@code petrichor lab}: a program of its own,
 * so that the product contains neither benchmarks nor fault injection.
 */
@NullMarked
package petrichor.tools;

import org.jspecify.annotations.NullMarked;
