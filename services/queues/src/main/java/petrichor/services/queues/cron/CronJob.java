package petrichor.services.queues.cron;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import petrichor.base.PetrichorException;
import petrichor.services.queues.QueueLimits;
import petrichor.services.queues.RetryPolicy;

/**
 * A cron job of an app. Jobs are the same if URL, schedule, time zone and target are.
 *
 * @param url path of the app, requested with GET
 * @param schedule see {@link Schedule}
 * @param timezone such as Europe/Berlin
 */
public record CronJob(String url, String schedule, String timezone, Options options) {
    /** App Engine's time zone of jobs without one. */
    public static final String UTC = "UTC";

    /**
     * @param target the service, or version.service, that receives the request; empty for the
     *     default
     * @param retry of a run that failed
     * @param deadline of one attempt
     */
    public record Options(String target, String description, RetryPolicy retry, Duration deadline) {
        public static final Options DEFAULT =
                new Options("", "", CronYaml.NO_RETRIES, QueueLimits.DEADLINE);
    }

    public CronJob {
        if (!url.startsWith("/") || url.length() > QueueLimits.URL_CHARACTERS_MAX) {
            throw PetrichorException.invalid(
                    "The URL of a cron job is a path of the app, such as /job, not {url}.",
                    "url",
                    url);
        }
        var _ = Schedule.parse(schedule, zone(timezone));
    }

    private static ZoneId zone(String timezone) {
        try {
            return ZoneId.of(timezone, ZoneId.SHORT_IDS);
        } catch (DateTimeException unknown) {
            throw PetrichorException.invalid(
                    "There is no time zone {timezone}; write one such as Europe/Berlin.",
                    "timezone",
                    timezone);
        }
    }

    Schedule parsed() {
        return Schedule.parse(schedule, zone(timezone));
    }

    /** Identifies the job within its app. */
    public String id() {
        return String.join("\n", url, schedule, timezone, options.target());
    }
}
