package petrichor.services.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import petrichor.base.OverQuota;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

class AddedTasksTest {
    private final AtomicLong nanos = new AtomicLong(1);
    private final AtomicLong inQueues = new AtomicLong();
    private final AtomicLong counts = new AtomicLong();
    private OptionalLong perMinute = OptionalLong.empty();
    private OptionalLong waiting = OptionalLong.empty();

    private final TimeSource clock =
            new TimeSource() {
                @Override
                public long epochMicros() {
                    return nanos.get() / 1_000;
                }

                @Override
                public long monotonicNanos() {
                    return nanos.get();
                }
            };

    private final AddedTasks added =
            new AddedTasks(
                    "demo",
                    new TaskQuotas() {
                        @Override
                        public OptionalLong addedPerMinute(String project) {
                            return perMinute;
                        }

                        @Override
                        public OptionalLong waiting(String project) {
                            return waiting;
                        }
                    },
                    most -> {
                        counts.incrementAndGet();
                        return Math.min(most, inQueues.get());
                    },
                    clock);

    private void add(int tasks) {
        added.require(tasks);
        inQueues.addAndGet(tasks);
    }

    private void refuse(int tasks, String quota) {
        assertThatThrownBy(() -> added.require(tasks))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        over -> {
                            assertThat(OverQuota.isReasonOf(over)).isTrue();
                            assertThat(over).hasMessageContaining(quota);
                        });
    }

    @Test
    void tasksPerMinuteAreLimited() {
        perMinute = OptionalLong.of(60);
        add(50);
        refuse(11, "tasks=60/min");
        add(10);
        refuse(1, "tasks=60/min");
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        add(1);
        assertThat(added.use()).isEqualTo(new TaskUse(61, 12, 0));
        perMinute = OptionalLong.empty();
        add(1_000);
    }

    @Test
    void tasksThatLeftTheQueuesMakeRoomAfterASecond() {
        waiting = OptionalLong.of(100);
        inQueues.set(40);
        add(60);
        refuse(1, "waiting-tasks=100");
        inQueues.set(0);
        refuse(1, "waiting-tasks=100");
        nanos.addAndGet(AddedTasks.COUNT_AGAIN.toNanos());
        add(100);
        refuse(1, "waiting-tasks=100");
        assertThat(counts.get()).as("scans of the queues").isEqualTo(2);
        assertThat(added.use().refusedWaiting()).isEqualTo(3);
    }
}
