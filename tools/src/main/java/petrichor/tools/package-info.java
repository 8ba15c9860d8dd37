/**
 * The developers' tools, {@code petrichor bench} and {@code petrichor lab}, as a separate program,
 * so that the product contains neither benchmarks nor fault injection.
 */
@NullMarked
package petrichor.tools;

import org.jspecify.annotations.NullMarked;
