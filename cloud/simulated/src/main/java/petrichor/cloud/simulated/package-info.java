/**
 * A {@link petrichor.cloud.simulated.SimulatedCloud}: simulated machines on a manual clock, with
 * {@link petrichor.cloud.simulated.FaultProfile} as seeded fault injection, and an exact {@link
 * petrichor.cloud.simulated.Bill}.
 */
@NullMarked
package petrichor.cloud.simulated;

import org.jspecify.annotations.NullMarked;
