package petrichor.frontends.appengine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

@Timeout(60)
final class CallSlotsTest {
    private final CallSlots slots = new CallSlots();

    private List<CallSlots.Slot> all(String project) {
        List<CallSlots.Slot> taken = new ArrayList<>();
        for (int i = 0; i < CallSlots.CALLS_PER_APP_MAX; i++) {
            taken.add(slots.take(project, Cancellation.never()));
        }
        return taken;
    }

    private static void assertCode(Throwable thrown, ErrorCode code) {
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        refused -> assertThat(refused.code()).isEqualTo(code));
    }

    @Test
    void aCallWaitsForItsTurnUntilItsDeadline() {
        List<CallSlots.Slot> taken = all("demo");
        assertThatThrownBy(
                        () ->
                                slots.take(
                                        "demo",
                                        Cancellation.after(Duration.ofMillis(20).toNanos())))
                .satisfies(thrown -> assertCode(thrown, ErrorCode.DEADLINE_EXCEEDED));
        slots.take("other", Cancellation.never()).close();
        CompletableFuture<CallSlots.Slot> next =
                CompletableFuture.supplyAsync(
                        () -> slots.take("demo", Cancellation.never()), Thread::startVirtualThread);
        taken.removeFirst().close();
        next.join().close();
        taken.forEach(CallSlots.Slot::close);
        assertThat(slots.apps()).isZero();
    }

    @Test
    void theNumberOfWaitingCallsIsLimited() throws Exception {
        List<CallSlots.Slot> taken = all("demo");
        List<Thread> waiting = new ArrayList<>();
        AtomicInteger refused = new AtomicInteger();
        for (int i = 0; i < CallSlots.WAITING_PER_APP_MAX + 1; i++) {
            waiting.add(
                    Thread.startVirtualThread(
                            () -> {
                                try (var _ = slots.take("demo", Cancellation.never())) {
                                    assertThat(slots.apps()).isPositive();
                                } catch (PetrichorException full) {
                                    assertCode(full, ErrorCode.RESOURCE_EXHAUSTED);
                                    refused.incrementAndGet();
                                }
                            }));
        }
        while (refused.get() == 0) {
            Thread.onSpinWait();
        }
        taken.forEach(CallSlots.Slot::close);
        for (Thread thread : waiting) {
            thread.join();
        }
        assertThat(refused).hasValue(1);
        assertThat(slots.apps()).isZero();
    }
}
