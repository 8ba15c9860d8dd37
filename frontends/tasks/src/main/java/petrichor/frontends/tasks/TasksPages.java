package petrichor.frontends.tasks;

import static petrichor.frontends.http.RestApi.body;
import static petrichor.frontends.http.RestApi.pageSize;
import static petrichor.frontends.http.RestApi.parameter;

import com.google.cloud.tasks.v2.CreateQueueRequest;
import com.google.cloud.tasks.v2.CreateTaskRequest;
import com.google.cloud.tasks.v2.DeleteQueueRequest;
import com.google.cloud.tasks.v2.DeleteTaskRequest;
import com.google.cloud.tasks.v2.GetQueueRequest;
import com.google.cloud.tasks.v2.GetTaskRequest;
import com.google.cloud.tasks.v2.ListQueuesRequest;
import com.google.cloud.tasks.v2.ListTasksRequest;
import com.google.cloud.tasks.v2.PauseQueueRequest;
import com.google.cloud.tasks.v2.PurgeQueueRequest;
import com.google.cloud.tasks.v2.Queue;
import com.google.cloud.tasks.v2.ResumeQueueRequest;
import com.google.cloud.tasks.v2.RunTaskRequest;
import com.google.cloud.tasks.v2.Task;
import com.google.cloud.tasks.v2.UpdateQueueRequest;
import com.google.protobuf.util.FieldMaskUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.ApiMethod;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.RestApi;
import petrichor.frontends.tasks.wire.AppliedDefinitions;
import petrichor.frontends.tasks.wire.DefinitionFile;

/** The REST binding, in JSON, of the methods of this front end. Stateless. */
final class TasksPages {
    private static final String QUEUES = "/v2/projects/{project}/locations/{location}/queues";
    private static final String QUEUE = QUEUES + "/{queue}";
    private static final String TASKS = QUEUE + "/tasks";
    private static final String TASK = TASKS + "/{task}";
    private static final String DEFINITIONS = "/petrichor/v1/";

    private final CloudTasksMethods methods;
    private final Definitions definitions;
    private final RestApi rest;

    TasksPages(CloudTasksMethods methods, Definitions definitions, RestApi rest) {
        this.methods = methods;
        this.definitions = definitions;
        this.rest = rest;
    }

    List<Page> pages() {
        CloudTasksMethods.QueueMethods queues = methods.queues();
        CloudTasksMethods.TaskMethods tasks = methods.tasks();
        return List.of(
                rest.page("GET", QUEUES, queues.list(), TasksPages::listQueues),
                rest.page("POST", QUEUES, queues.create(), TasksPages::createQueue),
                rest.page("GET", QUEUE, queues.get(), TasksPages::getQueue),
                rest.page("PATCH", QUEUE, queues.update(), TasksPages::updateQueue),
                rest.page("POST", QUEUE, queues.update(), TasksPages::patchQueue),
                rest.page("DELETE", QUEUE, queues.delete(), TasksPages::deleteQueue),
                rest.page("POST", QUEUE + ":purge", queues.purge(), TasksPages::purge),
                rest.page("POST", QUEUE + ":pause", queues.pause(), TasksPages::pause),
                rest.page("POST", QUEUE + ":resume", queues.resume(), TasksPages::resume),
                rest.page("GET", TASKS, tasks.list(), TasksPages::listTasks),
                rest.page("POST", TASKS, tasks.create(), TasksPages::createTask),
                rest.page("GET", TASK, tasks.get(), TasksPages::getTask),
                rest.page("DELETE", TASK, tasks.delete(), TasksPages::deleteTask),
                rest.page("POST", TASK + ":run", tasks.run(), TasksPages::runTask),
                definition("queues", definitions.queuesMethod()),
                definition("cron", definitions.cronMethod()),
                unknown("GET"),
                unknown("POST"),
                unknown("PATCH"),
                unknown("DELETE"));
    }

    private Page definition(String what, ApiMethod<DefinitionFile, AppliedDefinitions> method) {
        return rest.page(
                "POST",
                DEFINITIONS + what + "/{project}",
                method,
                request ->
                        DefinitionFile.newBuilder()
                                .setProject(request.inPath("project"))
                                .setText(new String(request.body(), StandardCharsets.UTF_8))
                                .build());
    }

    private Page unknown(String method) {
        return rest.unknown(
                method,
                "/v2/projects/*",
                "/v2/projects/PROJECT/locations/LOCATION/queues and queues/QUEUE/tasks below it");
    }

    private static String location(Page.Request request) {
        return "projects/" + request.inPath("project") + "/locations/" + request.inPath("location");
    }

    private static String queue(Page.Request request) {
        return location(request) + "/queues/" + request.inPath("queue");
    }

    private static String task(Page.Request request) {
        return queue(request) + "/tasks/" + request.inPath("task");
    }

    /** By name or, as Google's clients send it, by number. */
    private static Task.View view(Page.Request request) {
        String view = parameter(request, "responseView");
        for (Task.View known : Task.View.values()) {
            if (known != Task.View.UNRECOGNIZED
                    && (view.equals(known.name())
                            || view.equals(String.valueOf(known.getNumber())))) {
                return known;
            }
        }
        if (view.isEmpty()) {
            return Task.View.VIEW_UNSPECIFIED;
        }
        throw PetrichorException.invalid(
                "responseView must be BASIC or FULL, not \"{view}\".", "view", view);
    }

    private static ListQueuesRequest listQueues(Page.Request request) {
        return ListQueuesRequest.newBuilder()
                .setParent(location(request))
                .setFilter(parameter(request, "filter"))
                .setPageSize(pageSize(request))
                .setPageToken(parameter(request, "pageToken"))
                .build();
    }

    private static CreateQueueRequest createQueue(Page.Request request) {
        return CreateQueueRequest.newBuilder()
                .setParent(location(request))
                .setQueue(body(request, Queue.newBuilder()))
                .build();
    }

    private static GetQueueRequest getQueue(Page.Request request) {
        return GetQueueRequest.newBuilder().setName(queue(request)).build();
    }

    private static UpdateQueueRequest updateQueue(Page.Request request) {
        try {
            return UpdateQueueRequest.newBuilder()
                    .setQueue(body(request, Queue.newBuilder()).setName(queue(request)))
                    .setUpdateMask(FieldMaskUtil.fromJsonString(parameter(request, "updateMask")))
                    .build();
        } catch (IllegalArgumentException malformed) {
            throw PetrichorException.invalid(
                    "updateMask is not a list of fields: {reason}",
                    "reason",
                    String.valueOf(malformed.getMessage()));
        }
    }

    private static UpdateQueueRequest patchQueue(Page.Request request) {
        if (!request.meansPatch()) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "a queue has no method POST; create one at {path}, or change it with PATCH",
                    "path",
                    "/v2/" + location(request) + "/queues");
        }
        return updateQueue(request);
    }

    private static DeleteQueueRequest deleteQueue(Page.Request request) {
        return DeleteQueueRequest.newBuilder().setName(queue(request)).build();
    }

    private static PurgeQueueRequest purge(Page.Request request) {
        return PurgeQueueRequest.newBuilder().setName(queue(request)).build();
    }

    private static PauseQueueRequest pause(Page.Request request) {
        return PauseQueueRequest.newBuilder().setName(queue(request)).build();
    }

    private static ResumeQueueRequest resume(Page.Request request) {
        return ResumeQueueRequest.newBuilder().setName(queue(request)).build();
    }

    private static ListTasksRequest listTasks(Page.Request request) {
        return ListTasksRequest.newBuilder()
                .setParent(queue(request))
                .setResponseView(view(request))
                .setPageSize(pageSize(request))
                .setPageToken(parameter(request, "pageToken"))
                .build();
    }

    private static CreateTaskRequest createTask(Page.Request request) {
        return body(request, CreateTaskRequest.newBuilder()).setParent(queue(request)).build();
    }

    private static GetTaskRequest getTask(Page.Request request) {
        return GetTaskRequest.newBuilder()
                .setName(task(request))
                .setResponseView(view(request))
                .build();
    }

    private static DeleteTaskRequest deleteTask(Page.Request request) {
        return DeleteTaskRequest.newBuilder().setName(task(request)).build();
    }

    private static RunTaskRequest runTask(Page.Request request) {
        return body(request, RunTaskRequest.newBuilder()).setName(task(request)).build();
    }
}
