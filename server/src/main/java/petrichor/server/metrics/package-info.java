/**
 * Metrics measured around the components of a server: store operations, health of the stores, jobs.
 * Uses Prometheus' client library.
 */
@NullMarked
package petrichor.server.metrics;

import org.jspecify.annotations.NullMarked;
