package petrichor.frontends.tasks;

import com.google.cloud.tasks.v2.CreateTaskRequest;
import com.google.cloud.tasks.v2.DeleteTaskRequest;
import com.google.cloud.tasks.v2.GetTaskRequest;
import com.google.cloud.tasks.v2.ListTasksRequest;
import com.google.cloud.tasks.v2.ListTasksResponse;
import com.google.cloud.tasks.v2.RunTaskRequest;
import com.google.protobuf.Empty;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.queues.AddResult;
import petrichor.services.queues.NewTask;
import petrichor.services.queues.ProjectQueues;
import petrichor.services.queues.Task;

/** The methods about tasks. Thread-safe. */
record TaskResources(QueueResources queues) {
    /** Google's limit. */
    private static final int PAGE_MAX = 1_000;

    /** Clients of gRPC refuse messages over 4 MiB by default. */
    private static final int PAGE_BYTES_MAX = 3 << 20;

    com.google.cloud.tasks.v2.Task create(CreateTaskRequest request) {
        ResourceName queue = ResourceName.ofQueue(request.getParent());
        String name = "";
        if (!request.getTask().getName().isEmpty()) {
            ResourceName named = ResourceName.ofTask(request.getTask().getName());
            if (!named.isBeside(queue) || !named.queue().equals(queue.queue())) {
                throw PetrichorException.invalid(
                        "The task {task} is not in {parent}; name the same queue twice.",
                        "task",
                        named,
                        "parent",
                        queue);
            }
            name = named.task();
        }
        NewTask task = TaskTranslator.fromMessage(name, request.getTask());
        AddResult result =
                queues.of(queue).add(queues.require(queue).name(), List.of(task)).getFirst();
        return switch (result) {
            case AddResult.Added(Task added) ->
                    TaskTranslator.toMessage(queue, added, request.getResponseView());
            case AddResult.AlreadyExists(String taken) ->
                    throw PetrichorException.of(
                            ErrorCode.ALREADY_EXISTS,
                            "The queue has a task of the name {task}; choose another name.",
                            "task",
                            taken);
            case AddResult.Tombstoned(String taken) ->
                    throw PetrichorException.of(
                            ErrorCode.ALREADY_EXISTS,
                            "The queue had a task of the name {task} recently; choose another"
                                    + " name.",
                            "task",
                            taken);
        };
    }

    com.google.cloud.tasks.v2.Task get(GetTaskRequest request) {
        ResourceName name = ResourceName.ofTask(request.getName());
        return TaskTranslator.toMessage(name, require(name), request.getResponseView());
    }

    private Task require(ResourceName name) {
        String queue = queues.require(name).name();
        return queues.of(name).task(queue, name.task()).orElseThrow(() -> unknown(name));
    }

    private static PetrichorException unknown(ResourceName name) {
        return PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "There is no task {task}; it may have succeeded, or been deleted.",
                "task",
                name);
    }

    /** In the order of their names; the token of a page is the name before it. */
    ListTasksResponse list(ListTasksRequest request) {
        ResourceName queue = ResourceName.ofQueue(request.getParent());
        if (request.getPageSize() < 0) {
            throw PetrichorException.invalid(
                    "page_size is {size}; it must not be negative.", "size", request.getPageSize());
        }
        int max = request.getPageSize() == 0 ? PAGE_MAX : Math.min(request.getPageSize(), PAGE_MAX);
        String from = request.getPageToken().isEmpty() ? "" : request.getPageToken() + "\0";
        ProjectQueues ofProject = queues.of(queue);
        List<Task> tasks = ofProject.tasksByName(queues.require(queue).name(), from, max + 1);
        ListTasksResponse.Builder response = ListTasksResponse.newBuilder();
        int bytes = 0;
        for (Task task : tasks) {
            com.google.cloud.tasks.v2.Task message =
                    TaskTranslator.toMessage(queue, task, request.getResponseView());
            boolean full =
                    response.getTasksCount() == max
                            || bytes + message.getSerializedSize() > PAGE_BYTES_MAX;
            if (full && response.getTasksCount() > 0) {
                com.google.cloud.tasks.v2.Task last =
                        response.getTasks(response.getTasksCount() - 1);
                return response.setNextPageToken(ResourceName.ofTask(last.getName()).task())
                        .build();
            }
            bytes += message.getSerializedSize();
            response.addTasks(message);
        }
        return response.build();
    }

    Empty delete(DeleteTaskRequest request) {
        ResourceName name = ResourceName.ofTask(request.getName());
        String queue = queues.require(name).name();
        return switch (queues.of(name).deleteTasks(queue, List.of(name.task())).getFirst()) {
            case DELETED -> Empty.getDefaultInstance();
            case UNKNOWN, TOMBSTONED -> throw unknown(name);
        };
    }

    /** The task as it was when it was dispatched. */
    com.google.cloud.tasks.v2.Task run(RunTaskRequest request) {
        ResourceName name = ResourceName.ofTask(request.getName());
        Task task = require(name);
        if (!queues.dispatchers().runNow(name.project(), name.queue(), name.task())) {
            throw unknown(name);
        }
        return TaskTranslator.toMessage(name, task, request.getResponseView());
    }
}
