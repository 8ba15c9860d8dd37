package petrichor.jobs.flink;

import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.clusterframework.types.ResourceIDRetrievable;

/** A task manager on a machine that was leased for it. */
record LeasedWorker(ResourceID id, MachinePool.Request request) implements ResourceIDRetrievable {
    @Override
    public ResourceID getResourceID() {
        return id;
    }
}
