package petrichor.frontends.tasks;

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
import com.google.gson.JsonObject;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.FieldMaskUtil;
import com.google.protobuf.util.JsonFormat;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.JsonParserMessages;
import petrichor.frontends.http.Page;
import petrichor.frontends.tasks.wire.AppliedDefinitions;
import petrichor.frontends.tasks.wire.DefinitionFile;
import petrichor.rpc.CallFailure;
import petrichor.rpc.Trace;

/** The REST binding, in JSON, of the methods of this front end. Stateless. */
final class TasksPages {
    private static final String ELSEWHERE = "/v2/projects/*";
    private static final String QUEUES = "/v2/projects/{project}/locations/{location}/queues";
    private static final String QUEUE = QUEUES + "/{queue}";
    private static final String TASKS = QUEUE + "/tasks";
    private static final String TASK = TASKS + "/{task}";
    private static final String DEFINITIONS = "/petrichor/v1/";

    private final CloudTasksMethods methods;
    private final Definitions definitions;
    private final TasksCalls calls;

    TasksPages(CloudTasksMethods methods, Definitions definitions, TasksCalls calls) {
        this.methods = methods;
        this.definitions = definitions;
        this.calls = calls;
    }

    List<Page> pages() {
        CloudTasksMethods.QueueMethods queues = methods.queues();
        CloudTasksMethods.TaskMethods tasks = methods.tasks();
        return List.of(
                page("GET", QUEUES, queues.list(), TasksPages::listQueues),
                page("POST", QUEUES, queues.create(), TasksPages::createQueue),
                page("GET", QUEUE, queues.get(), TasksPages::getQueue),
                page("PATCH", QUEUE, queues.update(), TasksPages::updateQueue),
                page("DELETE", QUEUE, queues.delete(), TasksPages::deleteQueue),
                page("POST", QUEUE + ":purge", queues.purge(), TasksPages::purge),
                page("POST", QUEUE + ":pause", queues.pause(), TasksPages::pause),
                page("POST", QUEUE + ":resume", queues.resume(), TasksPages::resume),
                page("GET", TASKS, tasks.list(), TasksPages::listTasks),
                page("POST", TASKS, tasks.create(), TasksPages::createTask),
                page("GET", TASK, tasks.get(), TasksPages::getTask),
                page("DELETE", TASK, tasks.delete(), TasksPages::deleteTask),
                page("POST", TASK + ":run", tasks.run(), TasksPages::runTask),
                definition("queues", definitions.queuesMethod()),
                definition("cron", definitions.cronMethod()),
                unknown("GET"),
                unknown("POST"),
                unknown("PATCH"),
                unknown("DELETE"));
    }

    /**
     * A page whose path names the project.
     *
     * @param message makes the method's request from that of the page
     */
    private <Q extends Message, R extends Message> Page page(
            String httpMethod,
            String path,
            TasksMethod<Q, R> method,
            Function<Page.Request, Q> message) {
        return new Page(
                httpMethod,
                path,
                Page.Access.TOKEN,
                Page.Lane.CALLS,
                request ->
                        answer(
                                request,
                                one -> {
                                    one.attempt().require(method.role(), one.inPath("project"), "");
                                    return calls.call(method, message.apply(one));
                                }));
    }

    private Page definition(String what, TasksMethod<DefinitionFile, AppliedDefinitions> method) {
        return page(
                "POST",
                DEFINITIONS + what + "/{project}",
                method,
                request ->
                        DefinitionFile.newBuilder()
                                .setProject(request.inPath("project"))
                                .setText(new String(request.body(), StandardCharsets.UTF_8))
                                .build());
    }

    private static Page unknown(String method) {
        return new Page(
                method,
                ELSEWHERE,
                Page.Access.TOKEN,
                request ->
                        answer(
                                request,
                                one -> {
                                    throw PetrichorException.of(
                                            ErrorCode.NOT_FOUND,
                                            "no such path: {path}; Cloud Tasks has"
                                                + " /v2/projects/PROJECT/locations/LOCATION/queues"
                                                + " and queues/QUEUE/tasks below it",
                                            "path",
                                            one.path());
                                }));
    }

    private static Page.Answer answer(Page.Request request, Function<Page.Request, Message> call) {
        try {
            return Page.Answer.json(200, JsonFormat.printer().print(call.apply(request)) + "\n");
        } catch (RuntimeException | InvalidProtocolBufferException failed) {
            Trace trace = Trace.of(request.headers().get(Trace.HEADER));
            CallFailure failure = CallFailure.of(failed, trace);
            request.attempt().end(failure.code().name());
            return error(failure.code(), failure.text());
        }
    }

    private static Page.Answer error(ErrorCode code, String text) {
        int status =
                switch (code) {
                    case INVALID_ARGUMENT, FAILED_PRECONDITION -> 400;
                    case UNAUTHENTICATED -> 401;
                    case PERMISSION_DENIED -> 403;
                    case NOT_FOUND -> 404;
                    case ALREADY_EXISTS, ABORTED -> 409;
                    case RESOURCE_EXHAUSTED -> 429;
                    case UNIMPLEMENTED -> 501;
                    case UNAVAILABLE -> 503;
                    case DEADLINE_EXCEEDED -> 504;
                    case INTERNAL -> 500;
                };
        JsonObject error = new JsonObject();
        error.addProperty("code", status);
        error.addProperty("message", text);
        error.addProperty("status", code.name());
        JsonObject body = new JsonObject();
        body.add("error", error);
        return Page.Answer.json(status, body + "\n");
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

    private static String parameter(Page.Request request, String name) {
        return request.parameters().getOrDefault(name, "");
    }

    private static int pageSize(Page.Request request) {
        String size = parameter(request, "pageSize");
        try {
            return size.isEmpty() ? 0 : Integer.parseInt(size);
        } catch (NumberFormatException noNumber) {
            throw PetrichorException.invalid(
                    "pageSize must be a number, not \"{size}\".", "size", size);
        }
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

    private static <B extends Message.Builder> B body(Page.Request request, B into) {
        String text = new String(request.body(), StandardCharsets.UTF_8);
        try {
            if (!text.isBlank()) {
                JsonFormat.parser().merge(text, into);
            }
            return into;
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.invalid(
                    "The body is not {message} in JSON: {reason}",
                    "message",
                    into.getDescriptorForType().getName(),
                    "reason",
                    JsonParserMessages.shown(String.valueOf(malformed.getMessage())));
        }
    }
}
