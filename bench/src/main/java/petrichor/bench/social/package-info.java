/** The social workload of seed 004: what each placement of its tuples costs. */
@NullMarked
package petrichor.bench.social;

import org.jspecify.annotations.NullMarked;
