package petrichor.services.queues.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import petrichor.services.queues.Queue;
import petrichor.services.queues.Task;
import petrichor.services.queues.TaskMethod;
import petrichor.services.queues.TaskState;
import petrichor.services.queues.TaskWork;
import petrichor.services.queues.dispatch.Delivery;
import petrichor.services.queues.dispatch.DeliveryResult;

class PublicationTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    private final Publication publication = new Publication("p-1", delivery());

    private static Delivery delivery() {
        TaskWork work = new TaskWork.Push(TaskMethod.POST, "/job", List.of(), new byte[3]);
        return new Delivery(
                "demo",
                Queue.push("q"),
                new Task(
                        "t",
                        new Task.Content(work, 1, Optional.empty(), DEADLINE),
                        new TaskState(
                                1, new TaskState.Attempts(0, 0, 0, 0, 0), false, new byte[0])));
    }

    @Test
    void eachNoticeHasItsOwnNumber() {
        assertThat(publication.nextNotice(0)).isEqualTo(new TaskNotice("demo", "p-1", 1, 7));
        assertThat(publication.nextNotice(0).copy()).isEqualTo(2);
        assertThat(TaskNotice.decode(publication.nextNotice(0).encode()))
                .contains(new TaskNotice("demo", "p-1", 3, 7));
    }

    @Test
    void oneCopyIsClaimedAndItsRedeliveryToo() {
        assertThat(publication.waiting()).isTrue();
        assertThat(publication.claim(2, SECOND)).isTrue();
        assertThat(publication.waiting()).isFalse();
        assertThat(publication.claim(1, SECOND)).as("another copy").isFalse();
        assertThat(publication.claim(2, SECOND)).as("the same copy again").isTrue();
        publication.result().complete(new DeliveryResult.Answered(200));
        assertThat(publication.claim(2, SECOND)).as("after the end").isFalse();
    }

    @Test
    void aNoticeThatNoServerClaimsIsPublishedAgainEverMoreRarely() {
        assertThat(publication.renew(1_000 * SECOND)).as("before it is published").isFalse();
        var _ = publication.nextNotice(0);
        assertThat(publication.renew(29 * SECOND)).isFalse();
        assertThat(publication.renew(30 * SECOND)).isTrue();
        assertThat(publication.renew(1_000 * SECOND)).as("until it is published").isFalse();
        var _ = publication.nextNotice(100 * SECOND);
        assertThat(publication.renew(159 * SECOND)).isFalse();
        assertThat(publication.renew(160 * SECOND)).isTrue();
        long now = 160 * SECOND;
        for (int i = 0; i < 100; i++) {
            var _ = publication.nextNotice(now);
            now += Duration.ofMinutes(10).toNanos();
            assertThat(publication.renew(now)).isTrue();
        }
    }

    @Test
    void aClaimEndsAfterTheDeadlineOfTheTask() {
        var _ = publication.nextNotice(0);
        assertThat(publication.claim(1, 0)).isTrue();
        publication.lost(0);
        var _ = publication.nextNotice(0);
        assertThat(publication.renew(DEADLINE.toNanos() + 59 * SECOND)).isFalse();
        assertThat(publication.renew(DEADLINE.toNanos() + 60 * SECOND)).isTrue();
        assertThat(publication.nextNotice(0).copy()).isEqualTo(3);
        assertThat(publication.claim(3, 0)).isTrue();
    }

    @Test
    void aLostNoticeIsPublishedAgainAtOnce() {
        publication.lost(SECOND);
        assertThat(publication.renew(SECOND)).as("not published yet").isFalse();
        var _ = publication.nextNotice(0);
        publication.lost(SECOND);
        assertThat(publication.renew(SECOND)).isTrue();
    }
}
