/**
 * Checks that commits keep their promises, in three independent ways.
 *
 * <ul>
 *   <li>{@link petrichor.testing.simulation.HistoryChecker} reads the histories of clients, and
 *       finds what no strictly serial execution can explain.
 *   <li>{@link petrichor.testing.simulation.ProtocolModel} is a small model of the commit protocol;
 *       {@link petrichor.testing.simulation.Explorer} walks through all of its states.
 *   <li>The simulation runs the real code on one thread under faults that a seed decides, and gives
 *       the histories to the checker.
 * </ul>
 */
@NullMarked
package petrichor.testing.simulation;

import org.jspecify.annotations.NullMarked;
