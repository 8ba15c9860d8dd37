/**
 * A {@link petrichor.cloud.simulated.SimulatedCloud}: machines that boot, cost and end on a clock
 * that is set by hand, with {@link petrichor.cloud.simulated.FaultProfile} that decides from a seed
 * what goes wrong, and a {@link petrichor.cloud.simulated.Bill} that nobody can argue with.
 */
@NullMarked
package petrichor.cloud.simulated;

import org.jspecify.annotations.NullMarked;
