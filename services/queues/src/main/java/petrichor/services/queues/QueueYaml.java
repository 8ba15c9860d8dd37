package petrichor.services.queues;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.yaml.YamlMapping;

/**
 * Reads App Engine's {@code queue.yaml}. Besides App Engine's fields, a queue may have {@code
 * dead_letter_queue}. Access lists and storage limits are accepted and have no effect.
 */
public final class QueueYaml {
    private static final int QUEUES_MAX = 1_000;
    private static final double SECONDS_PER_MINUTE = 60;
    private static final double SECONDS_PER_HOUR = 3_600;
    private static final double SECONDS_PER_DAY = 86_400;
    private static final double MILLIS_PER_SECOND = 1_000;

    private static final Set<String> FILE =
            Set.of("application", "queue", "total_storage_limit", "resume_paused_queues");
    private static final Set<String> QUEUE =
            Set.of(
                    "name",
                    "rate",
                    "bucket_size",
                    "max_concurrent_requests",
                    "mode",
                    "target",
                    "acl",
                    "retry_parameters",
                    "dead_letter_queue");
    private static final Set<String> RETRY =
            Set.of(
                    "task_retry_limit",
                    "task_age_limit",
                    "min_backoff_seconds",
                    "max_backoff_seconds",
                    "max_doublings");

    private QueueYaml() {}

    /**
     * A file.
     *
     * @param resume whether queues of the file that are paused are resumed
     */
    public record Contents(List<Queue> queues, boolean resume) {
        public Contents {
            queues = List.copyOf(queues);
        }
    }

    /** The queues of a file; see {@link #read}. */
    public static List<Queue> parse(String file, String text) {
        return read(file, text).queues();
    }

    /**
     * Reads a file.
     *
     * @param file name for errors
     */
    public static Contents read(String file, String text) {
        YamlMapping root = YamlMapping.parse(file, text, FILE);
        List<Queue> queues = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (YamlMapping entry : root.items("queue", QUEUE, QUEUES_MAX)) {
            Queue queue = entry.checked(() -> queue(entry));
            if (!names.add(queue.name())) {
                throw PetrichorException.invalid(
                        "{file} defines the queue {queue} twice; remove one definition.",
                        "file",
                        file,
                        "queue",
                        queue.name());
            }
            queues.add(queue);
        }
        return new Contents(queues, root.flag("resume_paused_queues").orElse(true));
    }

    private static Queue queue(YamlMapping entry) {
        QueueMode mode = entry.read("mode", "push or pull", QueueYaml::mode).orElse(QueueMode.PUSH);
        double rate =
                entry.read("rate", "a rate such as 5/s, or 0", QueueYaml::rate)
                        .orElse(DispatchRate.DEFAULT.tokensPerSecond());
        return new Queue(
                entry.required("name"),
                mode,
                new DispatchRate(
                        rate,
                        entry.integer("bucket_size").orElse(DispatchRate.DEFAULT.bucketSize()),
                        entry.integer("max_concurrent_requests")
                                .orElse(DispatchRate.DEFAULT.concurrentMax())),
                entry.mapping("retry_parameters", RETRY)
                        .map(QueueYaml::retry)
                        .orElse(RetryPolicy.DEFAULT),
                new Queue.Routing(
                        entry.text("target").orElse(""),
                        entry.text("dead_letter_queue").orElse("")),
                false);
    }

    private static @Nullable QueueMode mode(String text) {
        return switch (text) {
            case "push" -> QueueMode.PUSH;
            case "pull" -> QueueMode.PULL;
            default -> null;
        };
    }

    /** Tasks per second. */
    static @Nullable Double rate(String text) {
        if (text.equals("0")) {
            return 0.0;
        }
        int slash = text.indexOf('/');
        if (slash < 0 || slash != text.length() - 2) {
            return null;
        }
        double seconds = secondsOf(text.charAt(slash + 1));
        return seconds == 0 ? null : Double.parseDouble(text.substring(0, slash)) / seconds;
    }

    /** 0 if it is not a unit. */
    private static double secondsOf(char unit) {
        return switch (unit) {
            case 's' -> 1;
            case 'm' -> SECONDS_PER_MINUTE;
            case 'h' -> SECONDS_PER_HOUR;
            case 'd' -> SECONDS_PER_DAY;
            default -> 0;
        };
    }

    /** A time such as 2d or 90s; null if it is not valid. */
    public static @Nullable Duration age(String text) {
        if (text.isEmpty()) {
            return null;
        }
        double seconds = secondsOf(text.charAt(text.length() - 1));
        return seconds == 0
                ? null
                : seconds(Double.parseDouble(text.substring(0, text.length() - 1)) * seconds);
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * MILLIS_PER_SECOND));
    }

    private static RetryPolicy retry(YamlMapping fields) {
        return policy(
                fields.integer("task_retry_limit"),
                fields.read("task_age_limit", "a time such as 2d or 90s", QueueYaml::age),
                fields.number("min_backoff_seconds"),
                fields.number("max_backoff_seconds"),
                fields.integer("max_doublings"));
    }

    /** Of two back-offs of which only one is given, the other one is adjusted if necessary. */
    public static RetryPolicy policy(
            Optional<Integer> retries,
            Optional<Duration> age,
            Optional<Double> backoffMinSeconds,
            Optional<Double> backoffMaxSeconds,
            Optional<Integer> doublings) {
        Duration min =
                backoffMinSeconds.map(QueueYaml::seconds).orElse(RetryPolicy.DEFAULT.backoffMin());
        Duration max =
                backoffMaxSeconds.map(QueueYaml::seconds).orElse(RetryPolicy.DEFAULT.backoffMax());
        boolean crossed = min.compareTo(max) > 0;
        return new RetryPolicy(
                retries.map(OptionalInt::of).orElse(OptionalInt.empty()),
                age,
                crossed && backoffMinSeconds.isEmpty() ? max : min,
                crossed && backoffMaxSeconds.isEmpty() ? min : max,
                doublings.orElse(RetryPolicy.DEFAULT.doublingsMax()));
    }
}
