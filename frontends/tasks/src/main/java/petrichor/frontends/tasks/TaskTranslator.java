package petrichor.frontends.tasks;

import com.google.cloud.tasks.v2.AppEngineHttpRequest;
import com.google.cloud.tasks.v2.Attempt;
import com.google.cloud.tasks.v2.HttpMethod;
import com.google.cloud.tasks.v2.HttpRequest;
import com.google.cloud.tasks.v2.Task.View;
import com.google.protobuf.ByteString;
import com.google.protobuf.util.Durations;
import com.google.protobuf.util.Timestamps;
import com.google.rpc.Code;
import com.google.rpc.Status;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;
import petrichor.services.queues.NewTask;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.Task;
import petrichor.services.queues.TaskCodec;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskState;
import petrichor.services.queues.TaskWork;

/** Tasks as messages of Cloud Tasks, and back. Stateless. */
final class TaskTranslator {
    private static final Duration HTTP_DEADLINE_MAX = Duration.ofMinutes(30);
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~\\dA-Za-z-]+");
    private static final Pattern HEADER_VALUE = Pattern.compile("[^\\x00-\\x08\\x0a-\\x1f\\x7f]*");

    private TaskTranslator() {}

    static com.google.cloud.tasks.v2.Task toMessage(ResourceName queue, Task task, View view) {
        boolean full = view == View.FULL;
        TaskState.Attempts attempts = task.state().attempts();
        com.google.cloud.tasks.v2.Task.Builder message =
                com.google.cloud.tasks.v2.Task.newBuilder()
                        .setName(queue.ofTaskHere(task.name()).toString())
                        .setScheduleTime(Timestamps.fromMicros(task.state().etaMicros()))
                        .setCreateTime(Timestamps.fromMicros(task.content().createdMicros()))
                        .setDispatchDeadline(
                                Durations.fromNanos(task.content().deadline().toNanos()))
                        .setDispatchCount(attempts.retries())
                        .setResponseCount(attempts.executions())
                        .setView(full ? View.FULL : View.BASIC);
        if (attempts.firstMicros() > 0) {
            message.setFirstAttempt(
                    Attempt.newBuilder()
                            .setDispatchTime(Timestamps.fromMicros(attempts.firstMicros())));
        }
        if (attempts.lastMicros() > 0) {
            message.setLastAttempt(
                    Attempt.newBuilder()
                            .setResponseTime(Timestamps.fromMicros(attempts.lastMicros()))
                            .setResponseStatus(status(attempts.lastStatus())));
        }
        if (task.work() instanceof TaskWork.Push push) {
            add(push, full, message);
        }
        return message.build();
    }

    /** Without an answer of the worker, the deadline passed or the connection failed. */
    private static Status status(int httpStatus) {
        if (httpStatus == 0) {
            return Status.newBuilder()
                    .setCode(Code.UNAVAILABLE_VALUE)
                    .setMessage("UNAVAILABLE: no response")
                    .build();
        }
        Code code =
                switch (httpStatus) {
                    case 400 -> Code.INVALID_ARGUMENT;
                    case 401 -> Code.UNAUTHENTICATED;
                    case 403 -> Code.PERMISSION_DENIED;
                    case 404 -> Code.NOT_FOUND;
                    case 409 -> Code.ABORTED;
                    case 429 -> Code.RESOURCE_EXHAUSTED;
                    case 500 -> Code.INTERNAL;
                    case 501 -> Code.UNIMPLEMENTED;
                    case 503 -> Code.UNAVAILABLE;
                    case 504 -> Code.DEADLINE_EXCEEDED;
                    default -> Code.UNKNOWN;
                };
        return Status.newBuilder()
                .setCode(code.getNumber())
                .setMessage(code.name() + ": HTTP status code " + httpStatus)
                .build();
    }

    private static void add(
            TaskWork.Push push, boolean full, com.google.cloud.tasks.v2.Task.Builder message) {
        Map<String, String> headers = new HashMap<>();
        push.headers().forEach(header -> headers.put(header.name(), header.value()));
        ByteString body = full ? ByteString.copyFrom(push.body()) : ByteString.EMPTY;
        if (push.isToApp()) {
            AppEngineHttpRequest.Builder request =
                    AppEngineHttpRequest.newBuilder()
                            .setHttpMethod(method(push.method()))
                            .setRelativeUri(push.url())
                            .putAllHeaders(headers)
                            .setBody(body);
            if (!push.target().isEmpty()) {
                request.setAppEngineRouting(QueueTranslator.routing(push.target()));
            }
            message.setAppEngineHttpRequest(request);
        } else {
            message.setHttpRequest(
                    HttpRequest.newBuilder()
                            .setUrl(push.url())
                            .setHttpMethod(method(push.method()))
                            .putAllHeaders(headers)
                            .setBody(body));
        }
    }

    /**
     * Refuses what this server cannot do, such as tokens of Google's service accounts.
     *
     * @param name without the queue; empty for a random one
     */
    static NewTask fromMessage(String name, com.google.cloud.tasks.v2.Task message) {
        TaskWork.Push work =
                switch (message.getMessageTypeCase()) {
                    case APP_ENGINE_HTTP_REQUEST -> toApp(message.getAppEngineHttpRequest());
                    case HTTP_REQUEST -> toOthers(message.getHttpRequest());
                    case MESSAGETYPE_NOT_SET ->
                            throw PetrichorException.invalid(
                                    "The task has no request; set http_request or"
                                            + " app_engine_http_request.");
                };
        return new NewTask(
                name,
                message.hasScheduleTime() ? Timestamps.toMicros(message.getScheduleTime()) : 0,
                work,
                Optional.empty(),
                deadline(message, work));
    }

    private static Duration deadline(com.google.cloud.tasks.v2.Task message, TaskWork.Push work) {
        Duration deadline = QueueTranslator.duration(message.getDispatchDeadline());
        if (deadline.isZero()) {
            return QueueLimits.DEADLINE;
        }
        Duration max = work.isToApp() ? QueueLimits.DEADLINE_MAX : HTTP_DEADLINE_MAX;
        if (deadline.compareTo(QueueLimits.DEADLINE_MIN) < 0 || deadline.compareTo(max) > 0) {
            throw PetrichorException.invalid(
                    "The dispatch_deadline is {deadline}; it must be {min} to {max}.",
                    "deadline",
                    deadline,
                    "min",
                    QueueLimits.DEADLINE_MIN,
                    "max",
                    max);
        }
        return TaskCodec.duration(TaskCodec.micros(deadline));
    }

    private static TaskWork.Push toApp(AppEngineHttpRequest request) {
        String uri = request.getRelativeUri().isEmpty() ? "/" : request.getRelativeUri();
        if (!uri.startsWith("/") || !isUrl("http://app" + uri)) {
            throw PetrichorException.invalid(
                    "The relative_uri of a task is a path of the app, such as /job?id=1, without"
                            + " fragment and spaces.");
        }
        return new TaskWork.Push(
                method(request.getHttpMethod()),
                uri,
                headers(request.getHeadersMap()),
                body(request.getHttpMethod(), request.getBody()),
                QueueTranslator.target(request.getAppEngineRouting()));
    }

    private static TaskWork.Push toOthers(HttpRequest request) {
        if (request.hasOauthToken() || request.hasOidcToken()) {
            throw PetrichorException.invalid(
                    "This server has no tokens of Google's service accounts; remove oauth_token and"
                            + " oidc_token, and send a secret in a header.");
        }
        if (!isUrl(request.getUrl()) || request.getUrl().startsWith("/")) {
            throw PetrichorException.invalid(
                    "The URL of a task starts with http:// or https:// and has a host.");
        }
        return new TaskWork.Push(
                method(request.getHttpMethod()),
                request.getUrl(),
                headers(request.getHeadersMap()),
                body(request.getHttpMethod(), request.getBody()));
    }

    private static boolean isUrl(String url) {
        try {
            URI parsed = new URI(url);
            return parsed.getHost() != null
                    && parsed.getRawFragment() == null
                    && ("http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme()));
        } catch (URISyntaxException malformed) {
            return false;
        }
    }

    private static List<TaskWork.Header> headers(Map<String, String> fields) {
        List<TaskWork.Header> headers = new ArrayList<>(fields.size());
        fields.forEach(
                (name, value) -> {
                    if (!HEADER_NAME.matcher(name).matches()
                            || !HEADER_VALUE.matcher(value).matches()) {
                        throw PetrichorException.invalid(
                                "A header of the task has characters that HTTP does not allow, such"
                                        + " as line breaks.");
                    }
                    headers.add(new TaskWork.Header(name, value));
                });
        return headers;
    }

    private static byte[] body(HttpMethod method, ByteString body) {
        boolean allowed =
                switch (method) {
                    case HTTP_METHOD_UNSPECIFIED, POST, PUT, PATCH -> true;
                    case GET, HEAD, DELETE, OPTIONS, UNRECOGNIZED -> false;
                };
        if (!allowed && !body.isEmpty()) {
            throw PetrichorException.invalid(
                    "A request with the method {method} has no body; use POST, PUT or PATCH.",
                    "method",
                    method);
        }
        return body.toByteArray();
    }

    private static TaskMethod method(HttpMethod method) {
        return switch (method) {
            case HTTP_METHOD_UNSPECIFIED, POST -> TaskMethod.POST;
            case GET -> TaskMethod.GET;
            case HEAD -> TaskMethod.HEAD;
            case PUT -> TaskMethod.PUT;
            case DELETE -> TaskMethod.DELETE;
            case PATCH -> TaskMethod.PATCH;
            case OPTIONS -> TaskMethod.OPTIONS;
            case UNRECOGNIZED ->
                    throw PetrichorException.invalid("The task has an unknown http_method.");
        };
    }

    private static HttpMethod method(TaskMethod method) {
        return switch (method) {
            case POST -> HttpMethod.POST;
            case GET -> HttpMethod.GET;
            case HEAD -> HttpMethod.HEAD;
            case PUT -> HttpMethod.PUT;
            case DELETE -> HttpMethod.DELETE;
            case PATCH -> HttpMethod.PATCH;
            case OPTIONS -> HttpMethod.OPTIONS;
        };
    }
}
