package petrichor.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class DatabaseCountTest {
    @Test
    void aStoreThatDoesNotAnswerIsNotWaitedFor() {
        CountDownLatch answers = new CountDownLatch(1);
        AtomicInteger questions = new AtomicInteger();
        DatabaseCount count =
                new DatabaseCount(
                        () -> {
                            if (questions.incrementAndGet() > 1) {
                                awaitQuietly(answers);
                            }
                            return questions.get();
                        });
        assertThat(count.latest()).isEqualTo(1);
        assertThat(count.latest()).isEqualTo(1);
        assertThat(count.latest()).isEqualTo(1);
        assertThat(questions).hasValue(2);
        answers.countDown();
    }

    @Test
    void aStoreThatFailsLeavesTheLastCount() {
        AtomicInteger questions = new AtomicInteger();
        DatabaseCount count =
                new DatabaseCount(
                        () -> {
                            if (questions.incrementAndGet() > 1) {
                                throw new PetrichorException(ErrorCode.UNAVAILABLE, "away");
                            }
                            return 7;
                        });
        assertThat(count.latest()).isEqualTo(7);
        assertThat(count.latest()).isEqualTo(7);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
