package petrichor.frontends.appengine.taskqueue;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteGroupRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteGroupResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteQueueResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueueStatsRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueueStatsResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueuesRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueuesResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueMode;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePauseQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePauseQueueResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePurgeQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePurgeQueueResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueScannerQueueInfo;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueServiceError.ErrorCode;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueUpdateQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueUpdateQueueResponse;
import com.google.protobuf.ByteString;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.CallingApp;
import petrichor.services.queues.DispatchRate;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.QueueMode;
import petrichor.services.queues.QueueName;
import petrichor.services.queues.QueueStatistics;

/** Calls about queues as a whole. Thread-safe. */
record QueueCalls(AppQueues queues) {
    private static final int SECONDS_PER_MINUTE = 60;
    private static final long NO_TASK = -1;

    TaskQueueFetchQueuesResponse fetch(CallingApp app, TaskQueueFetchQueuesRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        if (request.getMaxRows() < 1) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_REQUEST, "max_rows must be positive; ask for 1 or more.");
        }
        ProjectQueues ofApp = queues.of(app);
        var _ = ofApp.require(Queue.DEFAULT);
        TaskQueueFetchQueuesResponse.Builder response = TaskQueueFetchQueuesResponse.newBuilder();
        ofApp.queues().stream()
                .limit(request.getMaxRows())
                .forEach(queue -> response.addQueue(TaskMessages.queue(queue)));
        return response.build();
    }

    TaskQueueFetchQueueStatsResponse statistics(
            CallingApp app, TaskQueueFetchQueueStatsRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        if (request.getQueueNameCount() > QueueLimits.DEFAULT.queuesMax()) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_REQUEST,
                    "A call asks for at most " + QueueLimits.DEFAULT.queuesMax() + " queues.");
        }
        ProjectQueues ofApp = queues.of(app);
        TaskQueueFetchQueueStatsResponse.Builder response =
                TaskQueueFetchQueueStatsResponse.newBuilder();
        for (ByteString name : request.getQueueNameList()) {
            Queue queue = AppQueues.require(ofApp, name);
            QueueStatistics statistics = queues.statistics(app, queue);
            // Java's SDK takes statistics without this for a failure, even those of a pull queue.
            TaskQueueScannerQueueInfo dispatch = dispatch(statistics.dispatch());
            response.addQueueStatsBuilder()
                    .setNumTasks(statistics.tasks())
                    .setOldestEtaUsec(
                            statistics.tasks() == 0 ? NO_TASK : statistics.oldestEtaMicros())
                    .setScannerInfo(dispatch);
        }
        return response.build();
    }

    private static TaskQueueScannerQueueInfo dispatch(QueueStatistics.Dispatch dispatch) {
        return TaskQueueScannerQueueInfo.newBuilder()
                .setExecutedLastMinute(dispatch.executedLastMinute())
                .setExecutedLastHour(dispatch.executedLastHour())
                .setSamplingDurationSeconds(SECONDS_PER_MINUTE)
                .setRequestsInFlight(dispatch.inFlight())
                .setEnforcedRate(dispatch.enforcedRate())
                .build();
    }

    /** Creates the queue, or changes it; what the message cannot say remains. */
    TaskQueueUpdateQueueResponse update(CallingApp app, TaskQueueUpdateQueueRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        String name = request.getQueueName().toStringUtf8();
        if (!QueueName.isQueue(name)) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_QUEUE_NAME,
                    "The name of a queue has 1 to 100 letters, digits and hyphens.");
        }
        ProjectQueues ofApp = queues.of(app);
        Queue known =
                ofApp.queue(name)
                        .orElseGet(
                                () ->
                                        request.getMode() == TaskQueueMode.Mode.PULL
                                                ? Queue.pull(name)
                                                : Queue.push(name));
        if ((known.mode() == QueueMode.PULL) != (request.getMode() == TaskQueueMode.Mode.PULL)) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_QUEUE_MODE,
                    "The mode of the queue " + name + " cannot change; delete the queue first.");
        }
        Queue changed = known.withRate(rate(known, request));
        ofApp.define(
                List.of(
                        request.hasRetryParameters()
                                ? changed.withRetry(
                                        TaskRequests.retry(request.getRetryParameters()))
                                : changed));
        return TaskQueueUpdateQueueResponse.getDefaultInstance();
    }

    /** Pull queues have no rate; SDKs send 0 for them. */
    private static DispatchRate rate(Queue queue, TaskQueueUpdateQueueRequest request) {
        if (queue.mode() == QueueMode.PULL) {
            return queue.rate();
        }
        try {
            return new DispatchRate(
                    request.getBucketRefillPerSecond(),
                    request.getBucketCapacity(),
                    request.hasMaxConcurrentRequests()
                            ? request.getMaxConcurrentRequests()
                            : queue.rate().concurrentMax());
        } catch (PetrichorException invalid) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_QUEUE_RATE, String.valueOf(invalid.getMessage()));
        }
    }

    TaskQueuePauseQueueResponse pause(CallingApp app, TaskQueuePauseQueueRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        ProjectQueues ofApp = queues.of(app);
        Queue queue = AppQueues.require(ofApp, request.getQueueName());
        var _ = request.getPause() ? ofApp.pause(queue.name()) : ofApp.resume(queue.name());
        return TaskQueuePauseQueueResponse.getDefaultInstance();
    }

    TaskQueuePurgeQueueResponse purge(CallingApp app, TaskQueuePurgeQueueRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        ProjectQueues ofApp = queues.of(app);
        ofApp.purge(AppQueues.require(ofApp, request.getQueueName()).name());
        return TaskQueuePurgeQueueResponse.getDefaultInstance();
    }

    TaskQueueDeleteQueueResponse delete(CallingApp app, TaskQueueDeleteQueueRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        ProjectQueues ofApp = queues.of(app);
        ofApp.delete(AppQueues.require(ofApp, request.getQueueName()).name());
        return TaskQueueDeleteQueueResponse.getDefaultInstance();
    }

    /** Deletes all queues of the app. */
    TaskQueueDeleteGroupResponse deleteAll(CallingApp app, TaskQueueDeleteGroupRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        ProjectQueues ofApp = queues.of(app);
        ofApp.queues().forEach(queue -> ofApp.delete(queue.name()));
        return TaskQueueDeleteGroupResponse.getDefaultInstance();
    }
}
