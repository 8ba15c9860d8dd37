/** Tests of queues: rows, leases, settings. */
@NullMarked
package petrichor.services.queues;

import org.jspecify.annotations.NullMarked;
