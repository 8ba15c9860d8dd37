package petrichor.movement.replication;

import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.v1.Leadership;
import petrichor.rpc.v1.ReplicaStatus;
import petrichor.rpc.v1.ReplicationResponse.Outcome;

/** Whether a primary may change a replica. Stateless. */
public final class ReplicaFence {
    private ReplicaFence() {}

    /**
     * ELSEWHERE if the primary must begin first. FAILED_PRECONDITION if the replica belongs to
     * another source.
     *
     * @param database the replica, for messages
     */
    public static Outcome outcome(Leadership leader, ReplicaStatus before, String database) {
        Leadership known = before.getLeadership();
        if (before.getRole() != ReplicaStatus.Role.NONE
                && !leader.getLineage().equals(known.getLineage())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} at the target belongs to another replication; name"
                            + " another database, or drop it first.",
                    "database",
                    database);
        }
        if (leader.getEpoch() < known.getEpoch()) {
            return Outcome.FENCED;
        }
        if (leader.getEpoch() > known.getEpoch()) {
            return Outcome.ELSEWHERE;
        }
        if (!leader.getHolder().equals(known.getHolder())) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "Two databases were promoted to epoch {epoch}: {database} at the target, and"
                            + " the source. Drop one of them, and replicate the other one.",
                    "epoch",
                    known.getEpoch(),
                    "database",
                    database);
        }
        return Outcome.DONE;
    }

    /** ELSEWHERE also if the database is no replica of this stream. */
    public static Outcome outcome(
            Leadership leader, String stream, ReplicaStatus before, String database) {
        Outcome outcome = outcome(leader, before, database);
        return outcome == Outcome.DONE
                        && (before.getRole() != ReplicaStatus.Role.REPLICA
                                || !before.getStream().equals(stream))
                ? Outcome.ELSEWHERE
                : outcome;
    }
}
