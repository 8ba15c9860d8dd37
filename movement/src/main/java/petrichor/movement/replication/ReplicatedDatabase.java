package petrichor.movement.replication;

import petrichor.base.PetrichorException;
import petrichor.entities.EntityDatabase;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;

/**
 * Answers the requests of replications for a database that this process owns. Thread-safe; has no
 * state.
 */
public record ReplicatedDatabase(EntityDatabase database) implements ReplicationOwner {
    @Override
    public ReplicationResponse ask(ReplicationRequest request) {
        SourceDatabase source = new SourceDatabase(database);
        ReplicaDatabase replica = new ReplicaDatabase(database);
        return switch (request.getWhatCase()) {
            case LEAD -> source.lead();
            case READ -> source.read(request.getRead());
            case COPY -> source.copy(request.getCopy());
            case HOLD -> source.hold(request.getHold());
            case DROP -> source.drop(request.getDrop().getConsumer());
            case FENCE -> source.fence(request.getFence());
            case REOPEN -> source.reopen(request.getReopen());
            case BEGIN -> replica.begin(request.getBegin());
            case RANGE -> replica.range(request.getRange());
            case APPLY -> replica.apply(request.getApply());
            case DESCRIBE -> source.describe();
            case PROMOTE -> replica.promote(request.getPromote());
            case RAISE -> replica.raise(request.getRaise());
            case WHAT_NOT_SET ->
                    throw PetrichorException.invalid(
                            "A request of a replication is incomplete; do both servers run the"
                                    + " same version?");
        };
    }
}
