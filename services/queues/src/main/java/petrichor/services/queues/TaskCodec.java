package petrichor.services.queues;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.queues.stored.StoredHeader;
import petrichor.services.queues.stored.StoredPush;
import petrichor.services.queues.stored.StoredQueue;
import petrichor.services.queues.stored.StoredRetryPolicy;
import petrichor.services.queues.stored.StoredState;
import petrichor.services.queues.stored.StoredTask;

/** Values of the rows of queues. Pure functions. */
public final class TaskCodec {
    private static final long NANOS_PER_MICRO = 1_000;

    private TaskCodec() {}

    /** The value of the row of a queue. */
    public static byte[] bytes(Queue queue) {
        return StoredQueue.newBuilder()
                .setMode(
                        switch (queue.mode()) {
                            case PUSH -> StoredQueue.Mode.PUSH;
                            case PULL -> StoredQueue.Mode.PULL;
                        })
                .setTokensPerSecond(queue.rate().tokensPerSecond())
                .setBucketSize(queue.rate().bucketSize())
                .setConcurrentMax(queue.rate().concurrentMax())
                .setRetry(stored(queue.retry()))
                .setTarget(queue.routing().target())
                .setDeadLetters(queue.routing().deadLetters())
                .setPaused(queue.paused())
                .build()
                .toByteArray();
    }

    /** The queue of a row. */
    public static Queue queue(String name, byte[] value) {
        StoredQueue stored = parse(StoredQueue.parser(), value);
        QueueMode mode =
                stored.getMode() == StoredQueue.Mode.PULL ? QueueMode.PULL : QueueMode.PUSH;
        return new Queue(
                name,
                mode,
                new DispatchRate(
                        stored.getTokensPerSecond(),
                        stored.getBucketSize(),
                        stored.getConcurrentMax()),
                policy(stored.getRetry()),
                new Queue.Routing(stored.getTarget(), stored.getDeadLetters()),
                stored.getPaused());
    }

    /** The row of a policy. */
    public static StoredRetryPolicy stored(RetryPolicy policy) {
        StoredRetryPolicy.Builder stored =
                StoredRetryPolicy.newBuilder()
                        .setBackoffMicrosMin(micros(policy.backoffMin()))
                        .setBackoffMicrosMax(micros(policy.backoffMax()))
                        .setDoublingsMax(policy.doublingsMax());
        policy.retriesMax().ifPresent(stored::setRetriesMax);
        policy.ageMax().ifPresent(age -> stored.setAgeMicrosMax(micros(age)));
        return stored.build();
    }

    /** The policy of a row. */
    public static RetryPolicy policy(StoredRetryPolicy stored) {
        return new RetryPolicy(
                stored.hasRetriesMax()
                        ? OptionalInt.of(stored.getRetriesMax())
                        : OptionalInt.empty(),
                stored.getAgeMicrosMax() > 0
                        ? Optional.of(duration(stored.getAgeMicrosMax()))
                        : Optional.empty(),
                duration(stored.getBackoffMicrosMin()),
                duration(stored.getBackoffMicrosMax()),
                stored.getDoublingsMax());
    }

    /** The value of the row of a content. */
    public static byte[] bytes(Task.Content content) {
        StoredTask.Builder stored =
                StoredTask.newBuilder()
                        .setCreatedMicros(content.createdMicros())
                        .setDeadlineMicros(micros(content.deadline()));
        content.retry().ifPresent(policy -> stored.setRetry(stored(policy)));
        switch (content.work()) {
            case TaskWork.Pull pull ->
                    stored.setPayload(UnsafeByteOperations.unsafeWrap(pull.payload()));
            case TaskWork.Push push -> {
                StoredPush.Builder request =
                        StoredPush.newBuilder()
                                .setMethod(push.method().name())
                                .setUrl(push.url())
                                .setTarget(push.target())
                                .setBody(UnsafeByteOperations.unsafeWrap(push.body()));
                for (TaskWork.Header header : push.headers()) {
                    request.addHeaders(
                            StoredHeader.newBuilder()
                                    .setName(header.name())
                                    .setValue(header.value()));
                }
                stored.setPush(request);
            }
        }
        return stored.build().toByteArray();
    }

    /**
     * The content of a row.
     *
     * @param tag which the state has
     */
    public static Task.Content content(byte[] value, byte[] tag) {
        StoredTask stored = parse(StoredTask.parser(), value);
        return new Task.Content(
                stored.hasPush()
                        ? push(stored.getPush())
                        : new TaskWork.Pull(tag, stored.getPayload().toByteArray()),
                stored.getCreatedMicros(),
                stored.hasRetry() ? Optional.of(policy(stored.getRetry())) : Optional.empty(),
                duration(stored.getDeadlineMicros()));
    }

    private static TaskWork push(StoredPush stored) {
        List<TaskWork.Header> headers = new ArrayList<>(stored.getHeadersCount());
        for (StoredHeader header : stored.getHeadersList()) {
            headers.add(new TaskWork.Header(header.getName(), header.getValue()));
        }
        return new TaskWork.Push(
                TaskMethod.valueOf(stored.getMethod()),
                stored.getUrl(),
                headers,
                stored.getBody().toByteArray(),
                stored.getTarget());
    }

    /** The value of the row of a state. */
    public static byte[] bytes(TaskState state) {
        TaskState.Attempts attempts = state.attempts();
        return StoredState.newBuilder()
                .setEtaMicros(state.etaMicros())
                .setRetries(attempts.retries())
                .setExecutions(attempts.executions())
                .setFirstTryMicros(attempts.firstMicros())
                .setLastTryMicros(attempts.lastMicros())
                .setLastStatus(attempts.lastStatus())
                .setNamed(state.named())
                .setTag(ByteString.copyFrom(state.tag()))
                .build()
                .toByteArray();
    }

    static byte[] tombstone(long untilMicros) {
        return StoredState.newBuilder().setTombstoneUntilMicros(untilMicros).build().toByteArray();
    }

    static StoredState state(byte[] value) {
        return parse(StoredState.parser(), value);
    }

    static boolean isTombstone(StoredState stored) {
        return stored.getTombstoneUntilMicros() != 0;
    }

    /** The state of a row that is not a tombstone. */
    public static TaskState state(StoredState stored) {
        return new TaskState(
                stored.getEtaMicros(),
                new TaskState.Attempts(
                        stored.getRetries(),
                        stored.getExecutions(),
                        stored.getFirstTryMicros(),
                        stored.getLastTryMicros(),
                        stored.getLastStatus()),
                stored.getNamed(),
                stored.getTag().toByteArray());
    }

    /** Microseconds of a duration. */
    public static long micros(Duration duration) {
        return duration.toNanos() / NANOS_PER_MICRO;
    }

    /** The duration of these microseconds. */
    public static Duration duration(long micros) {
        return Duration.ofNanos(micros * NANOS_PER_MICRO);
    }

    /** Reads a row; INTERNAL if it is damaged. */
    public static <T> T parse(Parser<T> parser, byte[] value) {
        try {
            return parser.parseFrom(value);
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, damaged, "A stored row of a queue is damaged.");
        }
    }
}
