package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CancellationTest {
    @Test
    void outsideOfRequestsNothingIsCancelled() {
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
}
