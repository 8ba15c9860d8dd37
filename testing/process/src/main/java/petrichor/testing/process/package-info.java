/**
 * Servers in processes of their own, as the launcher starts them: to be measured, killed, paused
 * and asked. For benchmarks, the laboratory and tests.
 */
@NullMarked
package petrichor.testing.process;

import org.jspecify.annotations.NullMarked;
