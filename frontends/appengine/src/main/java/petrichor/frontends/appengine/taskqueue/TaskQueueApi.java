package petrichor.frontends.appengine.taskqueue;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueBulkAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteGroupRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueDeleteRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueueStatsRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueuesRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchTaskRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueForceRunRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueModifyTaskLeaseRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePauseQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueuePurgeQueueRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryAndOwnTasksRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryTasksRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueUpdateQueueRequest;
import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.datastore.DatastoreV3;

/**
 * The API {@code taskqueue}. A task that names a transaction of {@code datastore_v3} becomes rows
 * of its commit: it is added with the entities or not at all. Thread-safe.
 */
public final class TaskQueueApi implements BundledService {
    private final TaskAdditions additions;
    private final TaskAdditions.TransactionWork transactions;
    private final QueueCalls queues;
    private final TaskCalls tasks;

    /**
     * @param datastore which has the open transactions
     */
    public TaskQueueApi(AppQueues queues, TaskAdditions additions, DatastoreV3 datastore) {
        this.additions = additions;
        this.transactions =
                (app, task, count, work) ->
                        datastore.addWork(app, task.getTransaction(), count, work);
        this.queues = new QueueCalls(queues);
        this.tasks = new TaskCalls(queues);
    }

    @Override
    public String name() {
        return "taskqueue";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        try {
            return CompletableFuture.completedFuture(answer(call).toByteArray());
        } catch (PetrichorException failed) {
            throw TaskQueueErrors.of(failed);
        }
    }

    private MessageLite answer(ServiceCall call) {
        CallingApp app = call.app();
        return switch (call.method()) {
            case "Add" ->
                    additions.add(app, call.parsed(TaskQueueAddRequest.parser()), transactions);
            case "BulkAdd" ->
                    additions.add(app, call.parsed(TaskQueueBulkAddRequest.parser()), transactions);
            case "Delete" -> tasks.delete(app, call.parsed(TaskQueueDeleteRequest.parser()));
            case "QueryTasks" -> tasks.query(app, call.parsed(TaskQueueQueryTasksRequest.parser()));
            case "FetchTask" -> tasks.fetch(app, call.parsed(TaskQueueFetchTaskRequest.parser()));
            case "ForceRun" -> tasks.run(app, call.parsed(TaskQueueForceRunRequest.parser()));
            case "QueryAndOwnTasks" ->
                    tasks.lease(app, call.parsed(TaskQueueQueryAndOwnTasksRequest.parser()));
            case "ModifyTaskLease" ->
                    tasks.modifyLease(app, call.parsed(TaskQueueModifyTaskLeaseRequest.parser()));
            case "FetchQueues" ->
                    queues.fetch(app, call.parsed(TaskQueueFetchQueuesRequest.parser()));
            case "FetchQueueStats" ->
                    queues.statistics(app, call.parsed(TaskQueueFetchQueueStatsRequest.parser()));
            case "UpdateQueue" ->
                    queues.update(app, call.parsed(TaskQueueUpdateQueueRequest.parser()));
            case "PauseQueue" ->
                    queues.pause(app, call.parsed(TaskQueuePauseQueueRequest.parser()));
            case "PurgeQueue" ->
                    queues.purge(app, call.parsed(TaskQueuePurgeQueueRequest.parser()));
            case "DeleteQueue" ->
                    queues.delete(app, call.parsed(TaskQueueDeleteQueueRequest.parser()));
            case "DeleteGroup" ->
                    queues.deleteAll(app, call.parsed(TaskQueueDeleteGroupRequest.parser()));
            default -> throw call.unknownMethod();
        };
    }
}
