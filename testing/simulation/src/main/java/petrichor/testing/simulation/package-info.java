/**
 * How we know that commits are what they claim to be, in three independent ways.
 *
 * <ul>
 *   <li>{@link petrichor.testing.simulation.HistoryChecker} looks at what clients did and saw, and
 *       finds whatever no strictly serial execution can explain.
 *   <li>{@link petrichor.testing.simulation.ProtocolModel} is the commit protocol in miniature;
 *       {@link petrichor.testing.simulation.Explorer} walks through all of its states.
 *   <li>The simulation runs the real code on one thread under faults that a seed decides, and gives
 *       the histories to the checker.
 * </ul>
 */
@NullMarked
package petrichor.testing.simulation;

import org.jspecify.annotations.NullMarked;
