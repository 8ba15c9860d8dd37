/**
 * Replication of a database to another deployment: a copy of its rows, then every committed
 * transaction of its change feed, whole and in order. {@link
 * petrichor.movement.replication.ReplicationRun} is the loop at the source; {@link
 * petrichor.movement.replication.SourceDatabase} and {@link
 * petrichor.movement.replication.ReplicaDatabase} execute its requests at the owners of both
 * databases.
 *
 * <p>The replica stores its position in the commit that applies a batch, so a batch that arrives
 * twice is recognized. It refuses other commits through a {@link petrichor.transactions.WriteGate}.
 * Of the databases of one lineage, the one with the highest epoch is the primary; every request
 * carries the epoch of its sender.
 */
@NullMarked
package petrichor.movement.replication;

import org.jspecify.annotations.NullMarked;
