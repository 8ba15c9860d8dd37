package petrichor.frontends.appengine.taskqueue;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchTaskRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchTaskResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueForceRunRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueForceRunResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueModifyTaskLeaseRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueModifyTaskLeaseResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryAndOwnTasksRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryAndOwnTasksResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryTasksRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryTasksResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueServiceError.ErrorCode;
import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.queues.LeaseResult;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.QueueMode;
import petrichor.services.queues.QueueRows;
import petrichor.services.queues.Task;
import petrichor.services.queues.TaskWork;

/** Calls about tasks that exist: listing, deletion, execution and leases. Thread-safe. */
record TaskCalls(AppQueues queues) {
    private static final int TASKS_MAX = QueueLimits.DEFAULT.tasksPerCallMax();
    private static final double NANOS_PER_SECOND = 1e9;

    TaskQueueDeleteResponse delete(CallingApp app, TaskQueueDeleteRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        requireCount(request.getTaskNameCount());
        List<String> names =
                request.getTaskNameList().stream().map(ByteString::toStringUtf8).toList();
        if (new HashSet<>(names).size() < names.size()) {
            throw TaskQueueErrors.of(
                    ErrorCode.DUPLICATE_TASK_NAME, "The call names a task more than once.");
        }
        ProjectQueues ofApp = queues.of(app);
        Queue queue = AppQueues.require(ofApp, request.getQueueName());
        TaskQueueDeleteResponse.Builder response = TaskQueueDeleteResponse.newBuilder();
        ofApp.deleteTasks(queue.name(), names)
                .forEach(
                        result ->
                                response.addResult(
                                        switch (result) {
                                            case DELETED -> ErrorCode.OK;
                                            case UNKNOWN -> ErrorCode.UNKNOWN_TASK;
                                            case TOMBSTONED -> ErrorCode.TOMBSTONED_TASK;
                                        }));
        return response.build();
    }

    private static void requireCount(long tasks) {
        if (tasks < 0 || tasks > TASKS_MAX) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_REQUEST, "A call is about at most " + TASKS_MAX + " tasks.");
        }
    }

    private static void requirePositiveCount(long tasks) {
        requireCount(tasks);
        if (tasks == 0) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_REQUEST, "The number of tasks must be positive.");
        }
    }

    TaskQueueQueryTasksResponse query(CallingApp app, TaskQueueQueryTasksRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        requirePositiveCount(request.getMaxRows());
        ProjectQueues ofApp = queues.of(app);
        String queue = AppQueues.require(ofApp, request.getQueueName()).name();
        String name = request.getStartTaskName().toStringUtf8();
        List<Task> tasks;
        if (request.hasStartTag()) {
            tasks =
                    ofApp.tasksByTag(
                            queue, request.getStartTag().toStringUtf8(), request.getMaxRows());
        } else if (request.hasStartEtaUsec()) {
            tasks =
                    ofApp.tasksByEta(
                            queue,
                            new QueueRows.Due(request.getStartEtaUsec(), name),
                            request.getMaxRows());
        } else {
            tasks = ofApp.tasksByName(queue, name, request.getMaxRows());
        }
        TaskQueueQueryTasksResponse.Builder response = TaskQueueQueryTasksResponse.newBuilder();
        tasks.forEach(task -> response.addTask(TaskMessages.task(task)));
        return response.build();
    }

    TaskQueueFetchTaskResponse fetch(CallingApp app, TaskQueueFetchTaskRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        ProjectQueues ofApp = queues.of(app);
        Queue queue = AppQueues.require(ofApp, request.getQueueName());
        String name = request.getTaskName().toStringUtf8();
        Task task = ofApp.task(queue.name(), name).orElseThrow(() -> unknown(name));
        return TaskQueueFetchTaskResponse.newBuilder()
                .setTask(TaskQueueQueryTasksResponse.newBuilder().addTask(TaskMessages.task(task)))
                .build();
    }

    TaskQueueForceRunResponse run(CallingApp app, TaskQueueForceRunRequest request) {
        AppQueues.requireApp(app, request.getAppId());
        Queue queue = AppQueues.require(queues.of(app), request.getQueueName());
        if (queue.mode() == QueueMode.PULL) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_QUEUE_MODE,
                    "Tasks of the pull queue " + queue.name() + " are leased, not run.");
        }
        boolean known = queues.runNow(app, queue, request.getTaskName().toStringUtf8());
        return TaskQueueForceRunResponse.newBuilder()
                .setResult(known ? ErrorCode.OK : ErrorCode.UNKNOWN_TASK)
                .build();
    }

    TaskQueueQueryAndOwnTasksResponse lease(
            CallingApp app, TaskQueueQueryAndOwnTasksRequest request) {
        requirePositiveCount(request.getMaxTasks());
        Duration lease = lease(request.getLeaseSeconds());
        if (request.hasTag() && !request.getGroupByTag()) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_REQUEST, "A tag needs group_by_tag; set both.");
        }
        ProjectQueues ofApp = queues.of(app);
        String queue = AppQueues.require(ofApp, request.getQueueName()).name();
        int max = (int) request.getMaxTasks();
        List<Task> leased;
        if (!request.getGroupByTag()) {
            leased = ofApp.lease(queue, max, lease);
        } else if (request.getTag().isEmpty()) {
            leased = ofApp.leaseByOldestTag(queue, max, lease);
        } else {
            leased = ofApp.leaseByTag(queue, max, lease, request.getTag().toByteArray());
        }
        TaskQueueQueryAndOwnTasksResponse.Builder response =
                TaskQueueQueryAndOwnTasksResponse.newBuilder();
        leased.forEach(task -> response.addTask(leased(task)));
        return response.build();
    }

    private static Duration lease(double seconds) {
        if (!(seconds >= 0 && seconds <= QueueLimits.LEASE_MAX.toSeconds())) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_REQUEST, "A lease lasts 0 to 604800 seconds.");
        }
        return Duration.ofNanos(Math.round(seconds * NANOS_PER_SECOND));
    }

    private static TaskQueueQueryAndOwnTasksResponse.Task.Builder leased(Task task) {
        TaskQueueQueryAndOwnTasksResponse.Task.Builder message =
                TaskQueueQueryAndOwnTasksResponse.Task.newBuilder()
                        .setTaskName(ByteString.copyFromUtf8(task.name()))
                        .setEtaUsec(task.state().etaMicros())
                        .setRetryCount(task.state().attempts().retries());
        if (task.work() instanceof TaskWork.Pull(byte[] tag, byte[] payload)) {
            message.setBody(ByteString.copyFrom(payload));
            if (tag.length > 0) {
                message.setTag(ByteString.copyFrom(tag));
            }
        }
        return message;
    }

    TaskQueueModifyTaskLeaseResponse modifyLease(
            CallingApp app, TaskQueueModifyTaskLeaseRequest request) {
        Duration lease = lease(request.getLeaseSeconds());
        ProjectQueues ofApp = queues.of(app);
        Queue queue = AppQueues.require(ofApp, request.getQueueName());
        if (queue.mode() == QueueMode.PULL && queue.paused()) {
            throw TaskQueueErrors.of(
                    ErrorCode.QUEUE_PAUSED, "The queue " + queue.name() + " is paused.");
        }
        String name = request.getTaskName().toStringUtf8();
        return switch (ofApp.modifyLease(queue.name(), name, request.getEtaUsec(), lease)) {
            case LeaseResult.Changed(long etaMicros) ->
                    TaskQueueModifyTaskLeaseResponse.newBuilder()
                            .setUpdatedEtaUsec(etaMicros)
                            .build();
            case LeaseResult.Expired _ -> throw expired(name);
            case LeaseResult.Unknown _ -> throw unknown(name);
        };
    }

    private static ServiceError unknown(String name) {
        return TaskQueueErrors.of(
                ErrorCode.UNKNOWN_TASK, "The queue has no task " + name + "; list its tasks.");
    }

    private static ServiceError expired(String name) {
        return TaskQueueErrors.of(
                ErrorCode.TASK_LEASE_EXPIRED,
                "The lease of the task " + name + " has ended; lease it again.");
    }
}
