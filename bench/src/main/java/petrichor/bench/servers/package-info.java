/**
 * Several servers over one datastore, beside one server alone over the same: what they carry on one
 * machine, how much is sent on between servers, and how long a fail-over takes. Begin reading at
 * {@link petrichor.bench.servers.ServersCommand}.
 */
@NullMarked
package petrichor.bench.servers;

import org.jspecify.annotations.NullMarked;
