package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RateLimitTest {
    private final AtomicLong nanos = new AtomicLong();
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

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void aBurstIsFollowedByTheRate() {
        RateLimit limit = new RateLimit(60, 3, clock);
        assertThat(limit.take(3)).isTrue();
        assertThat(limit.take(1)).isFalse();
        assertThat(limit.until(1)).isEqualTo(Duration.ofSeconds(1));
        pass(Duration.ofMillis(999));
        assertThat(limit.take(1)).isFalse();
        pass(Duration.ofMillis(1));
        assertThat(limit.take(1)).isTrue();
        pass(Duration.ofHours(1));
        assertThat(limit.take(4)).isFalse();
        assertThat(limit.take(3)).isTrue();
    }

    @Test
    void aChangeKeepsWhatWasTaken() {
        RateLimit limit = new RateLimit(60, 10, clock);
        assertThat(limit.take(8)).isTrue();
        limit.change(60, 5);
        assertThat(limit.take(1)).isFalse();
        assertThat(limit.until(1)).isEqualTo(Duration.ofSeconds(4));
        limit.change(600, 10);
        assertThat(limit.take(2)).isTrue();
        assertThat(limit.take(1)).isFalse();
        assertThat(limit.until(1)).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void aRaceNeverTakesMoreThanTheBurst() throws Exception {
        RateLimit limit = new RateLimit(1, 1_000, clock);
        try (var threads = Executors.newFixedThreadPool(8)) {
            Callable<Long> taking =
                    () -> IntStream.range(0, 1_000).filter(_ -> limit.take(1)).count();
            long taken = 0;
            for (Future<Long> each :
                    threads.invokeAll(IntStream.range(0, 8).mapToObj(_ -> taking).toList())) {
                taken += each.get();
            }
            assertThat(taken).isEqualTo(1_000);
        }
    }
}
