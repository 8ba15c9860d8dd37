/**
 * Several servers over one datastore, compared with a single server over the same: their throughput
 * on one machine, how many requests are forwarded between servers, and how long a fail-over takes.
 * Start at {@link petrichor.bench.servers.ServersCommand}.
 */
@NullMarked
package petrichor.bench.servers;

import org.jspecify.annotations.NullMarked;
