package petrichor.services.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueueYamlTest {
    private static List<Queue> parse(String text) {
        return QueueYaml.parse("queue.yaml", text);
    }

    @Test
    void readsEveryField() {
        List<Queue> queues =
                parse(
                        """
                        total_storage_limit: 120M
                        resume_paused_queues: True
                        queue:
                        - name: mail
                          rate: 30/m
                          bucket_size: 40
                          max_concurrent_requests: 10
                          target: v2.worker
                          dead_letter_queue: letters
                          retry_parameters:
                            task_retry_limit: 7
                            task_age_limit: 2d
                            min_backoff_seconds: 10.5
                            max_backoff_seconds: 200
                            max_doublings: 0
                        - name: letters
                          mode: pull
                          acl:
                          - user_email: a@example.com
                        """);
        assertThat(queues)
                .containsExactly(
                        new Queue(
                                "mail",
                                QueueMode.PUSH,
                                new DispatchRate(0.5, 40, 10),
                                new RetryPolicy(
                                        OptionalInt.of(7),
                                        Optional.of(Duration.ofDays(2)),
                                        Duration.ofMillis(10_500),
                                        Duration.ofSeconds(200),
                                        0),
                                new Queue.Routing("v2.worker", "letters"),
                                false),
                        Queue.pull("letters"));
    }

    @Test
    void anEmptyFileHasNoQueues() {
        assertThat(parse("")).isEmpty();
        assertThat(parse("queue:")).isEmpty();
    }

    @Test
    void theOtherBackoffIsAdjusted() {
        Queue queue =
                parse(
                                """
                                queue:
                                - name: slow
                                  retry_parameters:
                                    min_backoff_seconds: 7200
                                """)
                        .getFirst();
        assertThat(queue.retry().backoffMax()).isEqualTo(Duration.ofHours(2));
    }

    @ParameterizedTest
    @CsvSource({"5/s, 5", "30/m, 0.5", "36/h, 0.01", "8640/d, 0.1", "1.5/s, 1.5", "0, 0"})
    void readsRates(String text, double perSecond) {
        assertThat(QueueYaml.rate(text)).isEqualTo(perSecond);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "queue:\\n"
                    + "- nam: x | queue.yaml:2 is not valid: unknown field \"nam\"; the nearest is"
                    + " \"name\"",
                "queue:\\n- rate: 5/s | queue.yaml:2 is not valid: name is missing",
                "queue:\\n- name: x\\n  rate: fast | queue.yaml:3 is not valid: rate is \"fast\"",
                "queue:\\n- name: x\\n  bucket_size: 0 | bucket size of a queue must be 1",
                "queue:\\n- name: x\\n  mode: both | must be push or pull",
                "queue:\\n- name: x y | The name of a queue",
                "queue:\\n- name: x\\n- name: x | defines the queue x twice",
                "queue: x | queue must be a list",
                "queue:\\n- name: x\\n  dead_letter_queue: x | its own queue of dead letters",
                "queue: [ | queue.yaml:",
            })
    void errorsNameTheLine(String text, String error) {
        assertThatThrownBy(() -> parse(text.replace("\\n", "\n"))).hasMessageContaining(error);
    }
}
