package petrichor.movement.replication;

import petrichor.rpc.v1.ReplicaSelection;

/**
 * What is replicated where. Immutable.
 *
 * @param id chosen at random when the stream is created
 * @param name lower-case letters, digits and hyphens; also of the consumer of the change feed
 * @param source the database, PROJECT or PROJECT/DATABASE
 * @param target the database at the other deployment
 * @param place of the source, for messages of the replica; without secrets
 */
public record ReplicationStream(
        String id,
        String name,
        String source,
        String target,
        String place,
        ReplicaSelection selection) {
    private static final String CONSUMER = "replication-";

    /** The consumer of the source's change feed that keeps what the replica does not have yet. */
    public String consumer() {
        return CONSUMER + name;
    }
}
