/**
 * Metrics that are measured around the parts of a server: operations of the stores, health of the
 * stores, jobs. Written in Prometheus' text format.
 */
@NullMarked
package petrichor.server.metrics;

import org.jspecify.annotations.NullMarked;
