/**
 * Several servers over one store. Each database has one owner, which runs its sequencer for as long
 * as its lease lasts; every server answers every request.
 *
 * <p>What needs the sequencer (everything that belongs to a transaction, commits, ids) is sent on
 * to the owner as it came ({@link petrichor.cluster.Router}). Reads outside of transactions run
 * where they arrive, on the store itself, at a version that the owner names ({@link
 * petrichor.cluster.VersionRequests}): one small question for all reads that wait for one. A name
 * that nobody owns is claimed by the server that {@link petrichor.cluster.Placement} says, so that
 * databases, also those of a server that died, spread over all.
 *
 * <p>Leases keep reads fresh; they are not what keeps commits apart: the store's own fence does, so
 * that an owner that was paused can never commit once another has begun.
 */
@NullMarked
package petrichor.cluster;

import org.jspecify.annotations.NullMarked;
