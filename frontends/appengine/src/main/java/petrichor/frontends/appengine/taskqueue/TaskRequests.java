package petrichor.frontends.appengine.taskqueue;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueAddRequest;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueMode;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueRetryParameters;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueServiceError.ErrorCode;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import petrichor.base.PetrichorException;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.queues.NewTask;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.QueueName;
import petrichor.services.queues.QueueYaml;
import petrichor.services.queues.RetryPolicy;
import petrichor.services.queues.TaskCodec;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskWork;

/**
 * Checks the tasks of requests, with the codes that SDKs expect, and translates them. Stateless.
 */
final class TaskRequests {
    private static final QueueLimits LIMITS = QueueLimits.DEFAULT;
    private static final Pattern HEADER_NAME = Pattern.compile("[!#$%&'*+.^_`|~\\dA-Za-z-]+");
    private static final Pattern HEADER_VALUE = Pattern.compile("[^\\x00-\\x08\\x0a-\\x1f\\x7f]*");
    private static final Duration CLOCKS_DIFFER = Duration.ofSeconds(1);

    private TaskRequests() {}

    /**
     * @param queue that receives the task
     * @throws ServiceError if the task is not valid
     */
    static NewTask task(TaskQueueAddRequest request, String queue, long nowMicros) {
        String name = request.getTaskName().toStringUtf8();
        if (!name.isEmpty() && !QueueName.isTask(name)) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_TASK_NAME,
                    "The name of a task has 1 to 500 letters, digits, hyphens and underscores.");
        }
        Duration ahead = LIMITS.delayMax().plus(CLOCKS_DIFFER);
        if (request.getEtaUsec() < 0
                || request.getEtaUsec() > nowMicros + TaskCodec.micros(ahead)) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_ETA,
                    "The ETA of a task is between 1970 and 30 days from now.");
        }
        return new NewTask(
                name,
                request.getEtaUsec(),
                request.getMode() == TaskQueueMode.Mode.PULL ? pull(request) : push(request, queue),
                request.hasRetryParameters()
                        ? Optional.of(retry(request.getRetryParameters()))
                        : Optional.empty(),
                deadline(request));
    }

    private static TaskWork pull(TaskQueueAddRequest request) {
        if (request.getTag().size() > QueueLimits.TAG_BYTES_MAX) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_TAG,
                    "The tag of a task has at most " + QueueLimits.TAG_BYTES_MAX + " bytes.");
        }
        return sized(
                new TaskWork.Pull(request.getTag().toByteArray(), request.getBody().toByteArray()),
                LIMITS.pullBytesMax());
    }

    private static TaskWork push(TaskQueueAddRequest request, String queue) {
        String url =
                request.getUrl().isEmpty()
                        ? "/_ah/queue/" + queue
                        : request.getUrl().toStringUtf8();
        if (!isPath(url)) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_URL,
                    "The URL of a task is a path of the app, such as /job?id=1, with at most "
                            + QueueLimits.URL_CHARACTERS_MAX
                            + " characters; others than ASCII's are encoded.");
        }
        TaskMethod method =
                switch (request.getMethod()) {
                    case GET -> TaskMethod.GET;
                    case POST -> TaskMethod.POST;
                    case HEAD -> TaskMethod.HEAD;
                    case PUT -> TaskMethod.PUT;
                    case DELETE -> TaskMethod.DELETE;
                };
        boolean hasBody = method == TaskMethod.POST || method == TaskMethod.PUT;
        return sized(
                new TaskWork.Push(
                        method,
                        url,
                        headers(request),
                        hasBody ? request.getBody().toByteArray() : new byte[0]),
                LIMITS.pushBytesMax());
    }

    private static boolean isPath(String url) {
        if (!url.startsWith("/") || url.length() > QueueLimits.URL_CHARACTERS_MAX) {
            return false;
        }
        try {
            URI parsed = new URI("http://app" + url);
            return parsed.getRawFragment() == null && "app".equals(parsed.getHost());
        } catch (URISyntaxException malformed) {
            return false;
        }
    }

    private static List<TaskWork.Header> headers(TaskQueueAddRequest request) {
        List<TaskWork.Header> headers = new ArrayList<>(request.getHeaderCount());
        for (TaskQueueAddRequest.Header header : request.getHeaderList()) {
            String name = header.getKey().toStringUtf8();
            String value = header.getValue().toStringUtf8();
            if (!HEADER_NAME.matcher(name).matches() || !HEADER_VALUE.matcher(value).matches()) {
                throw TaskQueueErrors.of(
                        ErrorCode.INVALID_REQUEST,
                        "A header of a task has characters that HTTP does not allow, such as line"
                                + " breaks.");
            }
            headers.add(new TaskWork.Header(name, value));
        }
        return headers;
    }

    private static TaskWork sized(TaskWork work, int max) {
        if (work.bytes() > max) {
            throw TaskQueueErrors.of(
                    ErrorCode.TASK_TOO_LARGE,
                    "The task has "
                            + work.bytes()
                            + " bytes; at most "
                            + max
                            + " are allowed. Store the data elsewhere and pass a key.");
        }
        return work;
    }

    private static Duration deadline(TaskQueueAddRequest request) {
        if (!request.hasDispatchDeadlineUsec()) {
            return QueueLimits.DEADLINE;
        }
        Duration deadline = Duration.of(request.getDispatchDeadlineUsec(), ChronoUnit.MICROS);
        if (deadline.compareTo(QueueLimits.DEADLINE_MIN) < 0
                || deadline.compareTo(QueueLimits.DEADLINE_MAX) > 0) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_REQUEST,
                    "The dispatch deadline is "
                            + QueueLimits.DEADLINE_MIN
                            + " to "
                            + QueueLimits.DEADLINE_MAX
                            + ".");
        }
        return deadline;
    }

    /** The policy of parameters, of which each may be missing. */
    static RetryPolicy retry(TaskQueueRetryParameters parameters) {
        try {
            return QueueYaml.policy(
                    parameters.hasRetryLimit()
                            ? Optional.of(parameters.getRetryLimit())
                            : Optional.empty(),
                    parameters.hasAgeLimitSec()
                            ? Optional.of(Duration.ofSeconds(parameters.getAgeLimitSec()))
                            : Optional.empty(),
                    parameters.hasMinBackoffSec()
                            ? Optional.of(parameters.getMinBackoffSec())
                            : Optional.empty(),
                    parameters.hasMaxBackoffSec()
                            ? Optional.of(parameters.getMaxBackoffSec())
                            : Optional.empty(),
                    parameters.hasMaxDoublings()
                            ? Optional.of(parameters.getMaxDoublings())
                            : Optional.empty());
        } catch (PetrichorException invalid) {
            throw TaskQueueErrors.of(
                    ErrorCode.INVALID_RETRY_PARAMETERS, String.valueOf(invalid.getMessage()));
        }
    }
}
