/**
 * Servers as separate processes, started like by the launcher, which can be measured, killed,
 * paused and queried. For benchmarks, the laboratory and tests.
 */
@NullMarked
package petrichor.testing.process;

import org.jspecify.annotations.NullMarked;
