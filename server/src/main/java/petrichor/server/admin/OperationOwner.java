package petrichor.server.admin;

import com.google.longrunning.Operation;
import petrichor.entities.EntityDatabase;

/** Knows how operations of one kind stand, and how to cancel them. Safe for any thread. */
interface OperationOwner {
    boolean owns(Operation operation);

    /** The operation as it stands by now; records in the log that it is done once it is. */
    Operation settled(EntityDatabase database, OperationLog log, Operation operation);

    /**
     * @param operation is not done
     */
    void cancel(EntityDatabase database, OperationLog log, Operation operation);
}
