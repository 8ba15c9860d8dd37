package petrichor.server.admin;

import com.google.longrunning.Operation;
import petrichor.entities.EntityDatabase;

/** Reports the state of one type of operation, and cancels operations. Thread-safe. */
interface OperationOwner {
    boolean owns(Operation operation);

    /** The current state of the operation; records its completion in the log. */
    Operation settled(EntityDatabase database, OperationLog log, Operation operation);

    /**
     * @param operation is not done
     */
    void cancel(EntityDatabase database, OperationLog log, Operation operation);
}
