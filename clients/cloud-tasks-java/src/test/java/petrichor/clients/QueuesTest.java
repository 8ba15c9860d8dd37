package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.clients.TasksFixture.assertRefused;

import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.tasks.v2.ListQueuesRequest;
import com.google.cloud.tasks.v2.Queue;
import com.google.cloud.tasks.v2.RateLimits;
import com.google.protobuf.Duration;
import com.google.protobuf.util.FieldMaskUtil;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QueuesTest {
    @ParameterizedTest
    @EnumSource
    void aQueueIsCreatedReadChangedAndDeleted(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol)) {
            RateLimits limits = RateLimits.newBuilder().setMaxDispatchesPerSecond(2.5).build();
            Queue created = f.client().createQueue(f.parent(), f.named("q").toBuilder().setRateLimits(limits).build());
            assertThat(created.getState()).isEqualTo(Queue.State.RUNNING);
            assertThat(created.getRateLimits().getMaxDispatchesPerSecond()).isEqualTo(2.5);
            assertThat(created.getRetryConfig().getMaxAttempts()).isEqualTo(100);
            assertThat(f.client().getQueue(created.getName())).isEqualTo(created);

            Queue.Builder wanted = created.toBuilder();
            wanted.getRetryConfigBuilder().setMinBackoff(Duration.newBuilder().setSeconds(3));
            wanted.getRateLimitsBuilder().setMaxDispatchesPerSecond(9);
            Queue changed = f.client().updateQueue(wanted.build(), FieldMaskUtil.fromString("retry_config.min_backoff"));
            assertThat(changed.getRetryConfig().getMinBackoff().getSeconds()).isEqualTo(3);
            assertThat(changed.getRateLimits()).isEqualTo(created.getRateLimits());

            f.client().deleteQueue(created.getName());
            assertRefused(() -> f.client().getQueue(created.getName()), Code.NOT_FOUND);
        }
    }

    @ParameterizedTest
    @EnumSource
    void errorsHaveTheDocumentedCodes(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol)) {
            f.queue("q");
            assertRefused(() -> f.queue("q"), protocol.exists);
            assertRefused(() -> f.queue("not_valid"), Code.INVALID_ARGUMENT);
            assertRefused(() -> f.client().pauseQueue(f.parent() + "/queues/unknown"), Code.NOT_FOUND);
        }
    }

    @ParameterizedTest
    @EnumSource
    void queuesAreListedInPages(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol)) {
            List<String> names = new ArrayList<>(List.of(f.parent() + "/queues/default"));
            for (int i = 0; i < 4; i++) {
                names.add(f.queue("q" + i));
            }
            ListQueuesRequest request =
                    ListQueuesRequest.newBuilder().setParent(f.parent()).setPageSize(2).build();
            assertThat(f.client().listQueues(request).iterateAll()).extracting(Queue::getName).isEqualTo(names);
            List<Integer> sizes = new ArrayList<>();
            f.client().listQueues(request).iteratePages().forEach(page -> sizes.add(page.getResponse().getQueuesCount()));
            assertThat(sizes).containsExactly(2, 2, 1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aQueueIsPausedAndResumed(TasksFixture.Protocol protocol) throws Exception {
        try (TasksFixture f = TasksFixture.open(protocol)) {
            f.queue("other");
            String name = f.queue("q");
            assertThat(f.client().pauseQueue(name).getState()).isEqualTo(Queue.State.PAUSED);
            ListQueuesRequest paused =
                    ListQueuesRequest.newBuilder().setParent(f.parent()).setFilter("state: PAUSED").build();
            assertThat(f.client().listQueues(paused).iterateAll()).extracting(Queue::getName).containsExactly(name);
            assertThat(f.client().resumeQueue(name).getState()).isEqualTo(Queue.State.RUNNING);
        }
    }
}
