/**
 * Several servers over one store. Each database has one owner, which runs its sequencer for as long
 * as its lease lasts; every server answers every request.
 *
 * <p>Calls that need the sequencer (calls of transactions, commits, ids) are forwarded to the owner
 * unchanged ({@link petrichor.rpc.ClusterRpc}, which asks {@link petrichor.cluster.Ownership} for
 * owners). Reads outside of transactions run where they arrive, directly on the store, at a version
 * that the owner returns ({@link petrichor.cluster.VersionRequests}): one small request serves all
 * waiting reads. An unowned name is claimed by the server that {@link petrichor.cluster.Placement}
 * chooses, so that databases, including those of a server that died, spread over all servers.
 *
 * <p>Leases keep reads fresh. They do not order commits: the store's fence does, so that a paused
 * owner can never commit once another has taken over.
 */
@NullMarked
package petrichor.cluster;

import org.jspecify.annotations.NullMarked;
