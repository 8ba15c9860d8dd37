/**
 * The fault laboratory: several real servers over a real store, random transactions, real faults
 * (killed, paused, cut off, slow, with wrong clocks), and judges who decide from what clients saw
 * whether every promise was kept.
 */
@NullMarked
package petrichor.testing.cluster;

import org.jspecify.annotations.NullMarked;
