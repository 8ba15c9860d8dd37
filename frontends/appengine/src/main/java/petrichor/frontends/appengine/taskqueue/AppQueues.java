package petrichor.frontends.appengine.taskqueue;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueServiceError.ErrorCode;
import com.google.protobuf.ByteString;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.CallingApp;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueName;
import petrichor.services.queues.QueueStatistics;
import petrichor.services.queues.dispatch.Dispatchers;

/** The queues that calls name. Thread-safe. */
public record AppQueues(Dispatchers dispatchers) {
    ProjectQueues of(CallingApp app) {
        return dispatchers.open(app.project());
    }

    QueueStatistics statistics(CallingApp app, Queue queue) {
        return dispatchers.statistics(app.project(), queue.name());
    }

    boolean runNow(CallingApp app, Queue queue, String task) {
        return dispatchers.runNow(app.project(), queue.name(), task);
    }

    /** The queue of this name, in the codes of this API if there is none. */
    static Queue require(ProjectQueues queues, ByteString name) {
        String text = name.toStringUtf8();
        if (!QueueName.isQueue(text)) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_QUEUE_NAME,
                    "The name of a queue has 1 to 100 letters, digits and hyphens.");
        }
        return queues.require(text);
    }

    /** PERMISSION_DENIED if a message names another app. */
    static void requireApp(CallingApp app, ByteString appId) {
        try {
            app.require(appId.toStringUtf8());
        } catch (PetrichorException other) {
            throw TaskQueueErrors.of(
                    ErrorCode.PERMISSION_DENIED, String.valueOf(other.getMessage()));
        }
    }
}
