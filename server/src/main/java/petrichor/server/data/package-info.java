/**
 * The store and the databases of this server, alone or in a cluster: opening, leases, recovery.
 * {@link petrichor.server.data.Data} is what the rest of the server uses.
 */
@NullMarked
package petrichor.server.data;

import org.jspecify.annotations.NullMarked;
