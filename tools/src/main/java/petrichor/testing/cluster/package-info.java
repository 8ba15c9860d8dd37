/**
 * The fault laboratory: several real servers over a real store, random transactions, real faults
 * (killed, paused, disconnected and slow processes, wrong clocks), and checkers that decide from
 * the clients' observations whether every guarantee held.
 */
@NullMarked
package petrichor.testing.cluster;

import org.jspecify.annotations.NullMarked;
