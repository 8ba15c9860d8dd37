package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CancellationTest {
    @Test
    void outsideRequestsNothingIsCancelled() {
        assertThat(Cancellation.current()).isNull();
        assertThatCode(Cancellation::checkCurrent).doesNotThrowAnyException();
    }

    @Test
    void aCancelledRequestStopsAtItsNextCheck() {
        Cancellation request = Cancellation.after(TimeUnit.HOURS.toNanos(1));
        request.run(
                () -> {
                    Cancellation.checkCurrent();
                    request.cancel();
                    assertThatThrownBy(Cancellation::checkCurrent)
                            .isInstanceOf(PetrichorException.class)
                            .hasMessageContaining("cancelled");
                });
    }

    @Test
    void aRequestStopsWhenItsDeadlineHasPassed() {
        Cancellation late = Cancellation.after(0);
        late.run(
                () ->
                        assertThatThrownBy(Cancellation::checkCurrent)
                                .isInstanceOfSatisfying(
                                        PetrichorException.class,
                                        stopped ->
                                                assertThat(stopped.code())
                                                        .isEqualTo(ErrorCode.DEADLINE_EXCEEDED)));
    }

    @Test
    void aWaitEndsWithTheClientOrTheDeadlineAndOtherwiseWithItsResult() {
        Cancellation request = Cancellation.after(TimeUnit.HOURS.toNanos(1));
        CompletableFuture<String> answered = new CompletableFuture<>();
        CompletableFuture<String> limited = request.limit(answered);
        answered.complete("yes");
        assertThat(limited).isCompletedWithValue("yes");

        CompletableFuture<String> awaited = new CompletableFuture<>();
        CompletableFuture<String> left = request.limit(awaited);
        request.cancel();
        assertStopped(left, "cancelled");
        assertStopped(
                Cancellation.after(TimeUnit.MILLISECONDS.toNanos(10)).limit(awaited), "deadline");
        assertThat(awaited).isNotDone();
    }

    private static void assertStopped(CompletableFuture<String> wait, String why) {
        assertThatThrownBy(() -> wait.get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(PetrichorException.class)
                .hasMessageContaining(why);
    }
}
