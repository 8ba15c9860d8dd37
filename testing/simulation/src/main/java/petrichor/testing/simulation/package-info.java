/**
 * Checks the guarantees of commits in three independent ways.
 *
 * <ul>
 *   <li>{@link petrichor.testing.simulation.HistoryChecker} checks the histories of clients for
 *       anomalies that no strict serial execution explains.
 *   <li>{@link petrichor.testing.simulation.ProtocolModel} is a small model of the commit protocol;
 *       {@link petrichor.testing.simulation.Explorer} visits all of its states.
 *   <li>The simulation runs the real code on one thread under seeded faults, and passes the
 *       histories to the checker.
 * </ul>
 */
@NullMarked
package petrichor.testing.simulation;

import org.jspecify.annotations.NullMarked;
