package petrichor.frontends.tasks;

import com.google.cloud.tasks.v2.CreateQueueRequest;
import com.google.cloud.tasks.v2.CreateTaskRequest;
import com.google.cloud.tasks.v2.DeleteQueueRequest;
import com.google.cloud.tasks.v2.DeleteTaskRequest;
import com.google.cloud.tasks.v2.GetQueueRequest;
import com.google.cloud.tasks.v2.GetTaskRequest;
import com.google.cloud.tasks.v2.ListQueuesRequest;
import com.google.cloud.tasks.v2.ListQueuesResponse;
import com.google.cloud.tasks.v2.ListTasksRequest;
import com.google.cloud.tasks.v2.ListTasksResponse;
import com.google.cloud.tasks.v2.PauseQueueRequest;
import com.google.cloud.tasks.v2.PurgeQueueRequest;
import com.google.cloud.tasks.v2.Queue;
import com.google.cloud.tasks.v2.ResumeQueueRequest;
import com.google.cloud.tasks.v2.RunTaskRequest;
import com.google.cloud.tasks.v2.Task;
import com.google.cloud.tasks.v2.UpdateQueueRequest;
import com.google.protobuf.Empty;
import com.google.protobuf.Message;
import java.util.List;
import java.util.function.Function;
import petrichor.frontends.access.Role;
import petrichor.frontends.http.ApiMethod;

/**
 * The methods of google.cloud.tasks.v2.CloudTasks. Access to queues follows the tokens of this
 * server, so there are no IAM policies.
 */
record CloudTasksMethods(QueueMethods queues, TaskMethods tasks) {
    private static final String SERVICE = "google.cloud.tasks.v2.CloudTasks";

    /** The methods about queues. */
    record QueueMethods(
            ApiMethod<ListQueuesRequest, ListQueuesResponse> list,
            ApiMethod<GetQueueRequest, Queue> get,
            ApiMethod<CreateQueueRequest, Queue> create,
            ApiMethod<UpdateQueueRequest, Queue> update,
            ApiMethod<DeleteQueueRequest, Empty> delete,
            ApiMethod<PurgeQueueRequest, Queue> purge,
            ApiMethod<PauseQueueRequest, Queue> pause,
            ApiMethod<ResumeQueueRequest, Queue> resume) {}

    /** The methods about tasks. */
    record TaskMethods(
            ApiMethod<ListTasksRequest, ListTasksResponse> list,
            ApiMethod<GetTaskRequest, Task> get,
            ApiMethod<CreateTaskRequest, Task> create,
            ApiMethod<DeleteTaskRequest, Empty> delete,
            ApiMethod<RunTaskRequest, Task> run) {}

    static CloudTasksMethods of(QueueResources queues, TaskResources tasks) {
        Queue queue = Queue.getDefaultInstance();
        Task task = Task.getDefaultInstance();
        Empty empty = Empty.getDefaultInstance();
        return new CloudTasksMethods(
                new QueueMethods(
                        method(
                                "ListQueues",
                                ListQueuesRequest.getDefaultInstance(),
                                ListQueuesResponse.getDefaultInstance(),
                                Role.READ,
                                request -> ResourceName.ofLocation(request.getParent()),
                                queues::list),
                        method(
                                "GetQueue",
                                GetQueueRequest.getDefaultInstance(),
                                queue,
                                Role.READ,
                                request -> ResourceName.ofQueue(request.getName()),
                                queues::get),
                        method(
                                "CreateQueue",
                                CreateQueueRequest.getDefaultInstance(),
                                queue,
                                Role.ADMIN,
                                request -> ResourceName.ofLocation(request.getParent()),
                                queues::create),
                        method(
                                "UpdateQueue",
                                UpdateQueueRequest.getDefaultInstance(),
                                queue,
                                Role.ADMIN,
                                request -> ResourceName.ofQueue(request.getQueue().getName()),
                                queues::update),
                        method(
                                "DeleteQueue",
                                DeleteQueueRequest.getDefaultInstance(),
                                empty,
                                Role.ADMIN,
                                request -> ResourceName.ofQueue(request.getName()),
                                queues::delete),
                        method(
                                "PurgeQueue",
                                PurgeQueueRequest.getDefaultInstance(),
                                queue,
                                Role.ADMIN,
                                request -> ResourceName.ofQueue(request.getName()),
                                queues::purge),
                        method(
                                "PauseQueue",
                                PauseQueueRequest.getDefaultInstance(),
                                queue,
                                Role.ADMIN,
                                request -> ResourceName.ofQueue(request.getName()),
                                queues::pause),
                        method(
                                "ResumeQueue",
                                ResumeQueueRequest.getDefaultInstance(),
                                queue,
                                Role.ADMIN,
                                request -> ResourceName.ofQueue(request.getName()),
                                queues::resume)),
                new TaskMethods(
                        method(
                                "ListTasks",
                                ListTasksRequest.getDefaultInstance(),
                                ListTasksResponse.getDefaultInstance(),
                                Role.READ,
                                request -> ResourceName.ofQueue(request.getParent()),
                                tasks::list),
                        method(
                                "GetTask",
                                GetTaskRequest.getDefaultInstance(),
                                task,
                                Role.READ,
                                request -> ResourceName.ofTask(request.getName()),
                                tasks::get),
                        method(
                                "CreateTask",
                                CreateTaskRequest.getDefaultInstance(),
                                task,
                                Role.WRITE,
                                request -> ResourceName.ofQueue(request.getParent()),
                                tasks::create),
                        method(
                                "DeleteTask",
                                DeleteTaskRequest.getDefaultInstance(),
                                empty,
                                Role.WRITE,
                                request -> ResourceName.ofTask(request.getName()),
                                tasks::delete),
                        method(
                                "RunTask",
                                RunTaskRequest.getDefaultInstance(),
                                task,
                                Role.WRITE,
                                request -> ResourceName.ofTask(request.getName()),
                                tasks::run)));
    }

    private static <Q extends Message, R extends Message> ApiMethod<Q, R> method(
            String name,
            Q request,
            R response,
            Role role,
            Function<Q, ResourceName> resource,
            Function<Q, R> work) {
        return ApiMethod.of(
                SERVICE + "/" + name,
                request,
                response,
                role,
                asked -> resource.apply(asked).project(),
                work);
    }

    List<ApiMethod<?, ?>> all() {
        return List.of(
                queues.list(),
                queues.get(),
                queues.create(),
                queues.update(),
                queues.delete(),
                queues.purge(),
                queues.pause(),
                queues.resume(),
                tasks.list(),
                tasks.get(),
                tasks.create(),
                tasks.delete(),
                tasks.run());
    }
}
