/**
 * Several servers over one store. Each database has one owner, which runs its sequencer as long as
 * its lease is valid; every server answers every request.
 *
 * <p>Calls that need the sequencer (calls of transactions, commits, ids) are forwarded to the owner
 * unchanged ({@link petrichor.rpc.ClusterRpc}, which finds owners through {@link
 * petrichor.cluster.Ownership}). Reads outside transactions run where they arrive, directly on the
 * store, at a version that the owner returns ({@link petrichor.cluster.VersionRequests}): one small
 * request serves all waiting reads. The server that {@link petrichor.cluster.RendezvousHash}
 * selects claims an unowned name, so that databases, including those of a failed server, spread
 * over all servers.
 *
 * <p>Leases keep reads fresh. They do not order commits: the store's fence does, so that a paused
 * owner can never commit once another has taken over.
 */
@NullMarked
package petrichor.cluster;

import org.jspecify.annotations.NullMarked;
