package petrichor.services.queues.cron;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.QueueYaml;
import petrichor.services.queues.RetryPolicy;
import petrichor.yaml.YamlMapping;

/** Reads App Engine's {@code cron.yaml}. */
public final class CronYaml {
    static final int JOBS_MAX = 250;

    /** App Engine retries a failed run only if the job has parameters for it. */
    static final RetryPolicy NO_RETRIES =
            new RetryPolicy(
                    OptionalInt.of(0),
                    Optional.empty(),
                    RetryPolicy.DEFAULT.backoffMin(),
                    RetryPolicy.DEFAULT.backoffMax(),
                    RetryPolicy.DEFAULT.doublingsMax());

    /** Of a job whose parameters have no limit. */
    private static final int RETRIES = 5;

    private static final double MILLIS_PER_SECOND = 1_000;

    private static final Set<String> FILE = Set.of("application", "cron");
    private static final Set<String> JOB =
            Set.of(
                    "url",
                    "schedule",
                    "timezone",
                    "target",
                    "description",
                    "retry_parameters",
                    "attempt_deadline");
    private static final Set<String> RETRY =
            Set.of(
                    "job_retry_limit",
                    "job_age_limit",
                    "min_backoff_seconds",
                    "max_backoff_seconds",
                    "max_doublings");

    private CronYaml() {}

    /**
     * The jobs of a file; one that is listed twice counts once.
     *
     * @param file name for errors
     */
    public static List<CronJob> parse(String file, String text) {
        Map<String, CronJob> jobs = new LinkedHashMap<>();
        for (YamlMapping entry : YamlMapping.parse(file, text, FILE).items("cron", JOB, JOBS_MAX)) {
            CronJob job = entry.checked(() -> job(entry));
            jobs.putIfAbsent(job.id(), job);
        }
        return new ArrayList<>(jobs.values());
    }

    private static CronJob job(YamlMapping entry) {
        return new CronJob(
                entry.required("url"),
                entry.required("schedule"),
                entry.text("timezone").orElse(CronJob.UTC),
                new CronJob.Options(
                        entry.text("target").orElse(""),
                        entry.text("description").orElse(""),
                        entry.mapping("retry_parameters", RETRY)
                                .map(CronYaml::retry)
                                .orElse(NO_RETRIES),
                        entry.read("attempt_deadline", "a time such as 30s", CronYaml::deadline)
                                .orElse(QueueLimits.DEADLINE)));
    }

    private static @Nullable Duration deadline(String text) {
        if (!text.endsWith("s")) {
            return null;
        }
        double seconds = Double.parseDouble(text.substring(0, text.length() - 1));
        Duration deadline = Duration.ofMillis(Math.round(seconds * MILLIS_PER_SECOND));
        return deadline.isPositive() && deadline.compareTo(QueueLimits.DEADLINE_MAX) <= 0
                ? deadline
                : null;
    }

    private static RetryPolicy retry(YamlMapping fields) {
        Optional<Integer> limit = fields.integer("job_retry_limit");
        Optional<Duration> age =
                fields.read("job_age_limit", "a time such as 2d or 90s", QueueYaml::age);
        return QueueYaml.policy(
                limit.isEmpty() && age.isEmpty() ? Optional.of(RETRIES) : limit,
                age,
                fields.number("min_backoff_seconds"),
                fields.number("max_backoff_seconds"),
                fields.integer("max_doublings"));
    }
}
