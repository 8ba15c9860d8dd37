/**
 * Metrics that are measured around the parts of a server: operations of the stores, health of the
 * stores, jobs. Counted with Prometheus' client library.
 */
@NullMarked
package petrichor.server.metrics;

import org.jspecify.annotations.NullMarked;
