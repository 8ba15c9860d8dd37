package petrichor.frontends.appengine.taskqueue;

import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueFetchQueuesResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueMode;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryTasksResponse;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueQueryTasksResponse.Task.RequestMethod;
import com.google.appengine.api.taskqueue.TaskQueuePb.TaskQueueRetryParameters;
import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.Optional;
import petrichor.services.queues.Queue;
import petrichor.services.queues.QueueMode;
import petrichor.services.queues.RetryPolicy;
import petrichor.services.queues.Task;
import petrichor.services.queues.TaskCodec;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskState;
import petrichor.services.queues.TaskWork;

/** Queues and tasks as messages of this API. Stateless. */
final class TaskMessages {
    private static final double MILLIS_PER_SECOND = 1_000;

    private TaskMessages() {}

    static TaskQueueFetchQueuesResponse.Queue.Builder queue(Queue queue) {
        TaskQueueFetchQueuesResponse.Queue.Builder message =
                TaskQueueFetchQueuesResponse.Queue.newBuilder()
                        .setQueueName(ByteString.copyFromUtf8(queue.name()))
                        .setBucketRefillPerSecond(queue.rate().tokensPerSecond())
                        .setBucketCapacity(queue.rate().bucketSize())
                        .setPaused(queue.paused())
                        .setRetryParameters(retry(queue.retry()))
                        .setMode(
                                queue.mode() == QueueMode.PULL
                                        ? TaskQueueMode.Mode.PULL
                                        : TaskQueueMode.Mode.PUSH);
        if (queue.mode() == QueueMode.PUSH) {
            message.setMaxConcurrentRequests(queue.rate().concurrentMax());
        }
        return message;
    }

    static TaskQueueRetryParameters retry(RetryPolicy policy) {
        TaskQueueRetryParameters.Builder parameters =
                TaskQueueRetryParameters.newBuilder()
                        .setMinBackoffSec(seconds(policy.backoffMin()))
                        .setMaxBackoffSec(seconds(policy.backoffMax()))
                        .setMaxDoublings(policy.doublingsMax());
        policy.retriesMax().ifPresent(parameters::setRetryLimit);
        policy.ageMax().map(Duration::toSeconds).ifPresent(parameters::setAgeLimitSec);
        return parameters.build();
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / MILLIS_PER_SECOND;
    }

    static TaskQueueQueryTasksResponse.Task.Builder task(Task task) {
        TaskState.Attempts attempts = task.state().attempts();
        TaskQueueQueryTasksResponse.Task.Builder message =
                TaskQueueQueryTasksResponse.Task.newBuilder()
                        .setTaskName(ByteString.copyFromUtf8(task.name()))
                        .setEtaUsec(task.state().etaMicros())
                        .setRetryCount(attempts.retries())
                        .setExecutionCount(attempts.executions())
                        .setCreationTimeUsec(task.content().createdMicros());
        if (attempts.firstMicros() > 0) {
            message.setFirstTryUsec(attempts.firstMicros());
        }
        task.content().retry().ifPresent(policy -> message.setRetryParameters(retry(policy)));
        switch (task.work()) {
            case TaskWork.Pull(byte[] tag, byte[] payload) -> {
                body(message, payload);
                if (tag.length > 0) {
                    message.setTag(ByteString.copyFrom(tag));
                }
            }
            case TaskWork.Push push -> {
                message.setUrl(ByteString.copyFromUtf8(push.url()))
                        .setDispatchDeadlineUsec(TaskCodec.micros(task.content().deadline()));
                method(push.method()).ifPresent(message::setMethod);
                for (TaskWork.Header header : push.headers()) {
                    message.addHeaderBuilder()
                            .setKey(ByteString.copyFromUtf8(header.name()))
                            .setValue(ByteString.copyFromUtf8(header.value()));
                }
                body(message, push.body());
            }
        }
        return message;
    }

    private static void body(TaskQueueQueryTasksResponse.Task.Builder message, byte[] body) {
        message.setBody(ByteString.copyFrom(body)).setBodySize(body.length);
    }

    /** Empty for the methods that only Cloud Tasks has. */
    private static Optional<RequestMethod> method(TaskMethod method) {
        return switch (method) {
            case GET -> Optional.of(RequestMethod.GET);
            case POST -> Optional.of(RequestMethod.POST);
            case HEAD -> Optional.of(RequestMethod.HEAD);
            case PUT -> Optional.of(RequestMethod.PUT);
            case DELETE -> Optional.of(RequestMethod.DELETE);
            case PATCH, OPTIONS -> Optional.empty();
        };
    }
}
