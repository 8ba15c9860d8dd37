package petrichor.bench.apps;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class RequestsTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    @Test
    void wrongAnswersAndExceptionsAreFailedRequests() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Requests.Answers answers =
                Requests.closedLoop(
                        3,
                        30,
                        new AtomicLong(),
                        () -> {
                            int call = calls.incrementAndGet();
                            if (call <= 4) {
                                throw new IOException("refused");
                            }
                            return call > 10;
                        });
        assertThat(answers.sent()).isEqualTo(30);
        assertThat(answers.failed()).isEqualTo(10);
        assertThat(answers.latencies().count()).isEqualTo(30);
    }

    @Test
    void anOpenLoopDoesNotWaitForAnswers() throws Exception {
        CountDownLatch all = new CountDownLatch(10);
        // Each request ends only when all of them have been sent.
        Requests.Answers answers =
                Requests.openLoop(
                        200,
                        SHORT,
                        () -> {
                            all.countDown();
                            all.await();
                            return true;
                        });
        assertThat(answers.sent()).isEqualTo(10);
        assertThat(answers.failed()).isZero();
    }

    @Test
    void latencyCountsFromWhenARequestWasDue() throws Exception {
        CountDownLatch last = new CountDownLatch(2);
        Requests.Answers answers =
                Requests.openLoop(
                        20,
                        SHORT.multipliedBy(2),
                        () -> {
                            last.countDown();
                            last.await();
                            return true;
                        });
        // The first one waits for the second, which is due 50 ms later.
        assertThat(answers.latencies().longestMicros()).isGreaterThanOrEqualTo(49_000);
    }
}
