package petrichor.services.queues.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.services.queues.RetryPolicy;

class CronYamlTest {
    private static List<CronJob> parse(String text) {
        return CronYaml.parse("cron.yaml", text);
    }

    @Test
    void readsEveryField() {
        assertThat(
                        parse(
                                """
                                cron:
                                - description: "daily summary job"
                                  url: /tasks/summary
                                  target: beta
                                  schedule: every 24 hours
                                - url: /mail
                                  schedule: every monday 09:00
                                  timezone: Australia/NSW
                                  attempt_deadline: 30.5s
                                  retry_parameters:
                                    job_retry_limit: 2
                                    min_backoff_seconds: 2.5
                                    max_doublings: 5
                                """))
                .containsExactly(
                        new CronJob(
                                "/tasks/summary",
                                "every 24 hours",
                                "UTC",
                                new CronJob.Options(
                                        "beta",
                                        "daily summary job",
                                        CronYaml.NO_RETRIES,
                                        Duration.ofMinutes(10))),
                        new CronJob(
                                "/mail",
                                "every monday 09:00",
                                "Australia/NSW",
                                new CronJob.Options(
                                        "",
                                        "",
                                        new RetryPolicy(
                                                OptionalInt.of(2),
                                                Optional.empty(),
                                                Duration.ofMillis(2_500),
                                                Duration.ofHours(1),
                                                5),
                                        Duration.ofMillis(30_500))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cron:\\n- urls: /x | unknown field \"urls\"; the nearest is \"url\"",
                "cron:\\n- url: /x | cron.yaml:2 is not valid: schedule is missing",
                "cron:\\n- url: /x\\n  schedule: daily | cron.yaml:2 is not valid: The schedule",
                "cron:\\n- url: x\\n  schedule: every day 00:00 | is a path of the app",
                "cron:\\n"
                        + "- url: /x\\n"
                        + "  schedule: every day 00:00\\n"
                        + "  timezone: Mars | no time zone Mars",
                "cron:\\n"
                        + "- url: /x\\n"
                        + "  schedule: every day 00:00\\n"
                        + "  attempt_deadline: 3 | a time such as 30s",
            })
    void errorsNameTheLine(String text, String error) {
        assertThatThrownBy(() -> parse(text.replace("\\n", "\n"))).hasMessageContaining(error);
    }
}
