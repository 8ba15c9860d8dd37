package petrichor.frontends.tasks;

import com.google.cloud.tasks.v2.AppEngineRouting;
import com.google.cloud.tasks.v2.RateLimits;
import com.google.cloud.tasks.v2.RetryConfig;
import com.google.protobuf.util.Durations;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import petrichor.services.queues.DispatchRate;
import petrichor.services.queues.Queue;
import petrichor.services.queues.RetryPolicy;

/** Queues as messages of Cloud Tasks, and back. Stateless. */
final class QueueTranslator {
    private static final double DISPATCHES_PER_SECOND = 500;
    private static final int CONCURRENT = 1_000;
    private static final int ATTEMPTS = 100;
    private static final int UNLIMITED = -1;

    /** The burst of a queue, which clients cannot set: a fifth of a second's tasks, at least 10. */
    private static final int BURST_SHARE = 5;

    private static final int BURST_MIN = 10;

    private QueueTranslator() {}

    static com.google.cloud.tasks.v2.Queue toMessage(ResourceName location, Queue queue) {
        com.google.cloud.tasks.v2.Queue.Builder message =
                com.google.cloud.tasks.v2.Queue.newBuilder()
                        .setName(location.ofQueueHere(queue.name()).toString())
                        .setRateLimits(
                                RateLimits.newBuilder()
                                        .setMaxDispatchesPerSecond(queue.rate().tokensPerSecond())
                                        .setMaxBurstSize(queue.rate().bucketSize())
                                        .setMaxConcurrentDispatches(queue.rate().concurrentMax()))
                        .setRetryConfig(toMessage(queue.retry()))
                        .setState(
                                queue.paused()
                                        ? com.google.cloud.tasks.v2.Queue.State.PAUSED
                                        : com.google.cloud.tasks.v2.Queue.State.RUNNING);
        if (!queue.routing().target().isEmpty()) {
            message.setAppEngineRoutingOverride(routing(queue.routing().target()));
        }
        return message.build();
    }

    private static RetryConfig toMessage(RetryPolicy policy) {
        RetryConfig.Builder message =
                RetryConfig.newBuilder()
                        .setMaxAttempts(
                                policy.retriesMax().isPresent()
                                        ? policy.retriesMax().getAsInt() + 1
                                        : UNLIMITED)
                        .setMinBackoff(Durations.fromNanos(policy.backoffMin().toNanos()))
                        .setMaxBackoff(Durations.fromNanos(policy.backoffMax().toNanos()))
                        .setMaxDoublings(policy.doublingsMax());
        policy.ageMax()
                .ifPresent(age -> message.setMaxRetryDuration(Durations.fromNanos(age.toNanos())));
        return message.build();
    }

    /** A service, or version.service. */
    static AppEngineRouting routing(String target) {
        int dot = target.indexOf('.');
        AppEngineRouting.Builder routing =
                AppEngineRouting.newBuilder().setService(target.substring(dot + 1));
        if (dot > 0) {
            routing.setVersion(target.substring(0, dot));
        }
        return routing.build();
    }

    /** A service, or version.service; empty for the default one. */
    static String target(AppEngineRouting routing) {
        return routing.getVersion().isEmpty()
                ? routing.getService()
                : routing.getVersion()
                        + "."
                        + (routing.getService().isEmpty() ? "default" : routing.getService());
    }

    /**
     * A queue with these settings; what is not set has Cloud Tasks' defaults.
     *
     * @param former the queue that it replaces, if there is one: its state and its queue of dead
     *     letters remain
     */
    static Queue fromMessage(
            String name, com.google.cloud.tasks.v2.Queue message, Optional<Queue> former) {
        String letters = former.map(queue -> queue.routing().deadLetters()).orElse("");
        return Queue.push(name)
                .withRate(rate(message.getRateLimits()))
                .withRetry(retry(message.getRetryConfig()))
                .withRouting(
                        new Queue.Routing(target(message.getAppEngineRoutingOverride()), letters))
                .withPaused(former.map(Queue::paused).orElse(false));
    }

    private static DispatchRate rate(RateLimits limits) {
        double rate =
                limits.getMaxDispatchesPerSecond() == 0
                        ? DISPATCHES_PER_SECOND
                        : limits.getMaxDispatchesPerSecond();
        return new DispatchRate(
                rate,
                (int) Math.clamp(rate / BURST_SHARE, BURST_MIN, DispatchRate.BUCKET_SIZE_MAX),
                limits.getMaxConcurrentDispatches() == 0
                        ? CONCURRENT
                        : limits.getMaxConcurrentDispatches());
    }

    private static RetryPolicy retry(RetryConfig config) {
        int attempts = config.getMaxAttempts() == 0 ? ATTEMPTS : config.getMaxAttempts();
        Duration age = duration(config.getMaxRetryDuration());
        return new RetryPolicy(
                attempts == UNLIMITED ? OptionalInt.empty() : OptionalInt.of(attempts - 1),
                age.isZero() ? Optional.empty() : Optional.of(age),
                config.hasMinBackoff()
                        ? duration(config.getMinBackoff())
                        : RetryPolicy.DEFAULT.backoffMin(),
                config.hasMaxBackoff()
                        ? duration(config.getMaxBackoff())
                        : RetryPolicy.DEFAULT.backoffMax(),
                config.getMaxDoublings() == 0
                        ? RetryPolicy.DEFAULT.doublingsMax()
                        : config.getMaxDoublings());
    }

    /** Truncated to what a Duration in nanoseconds can represent: 292 years. */
    static Duration duration(com.google.protobuf.Duration message) {
        return Duration.ofSeconds(
                Math.clamp(message.getSeconds(), -SECONDS_MAX, SECONDS_MAX), message.getNanos());
    }

    private static final long SECONDS_MAX = 9_000_000_000L;
}
