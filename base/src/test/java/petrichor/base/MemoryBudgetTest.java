package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    @Test
    void aShareIsRefusedWhenItsOwnLimitIsReached() {
        MemoryBudget root = MemoryBudget.of("process", 1_000);
        MemoryBudget share = root.share("requests", 100);
        assertThat(share.tryReserve(100)).isTrue();
        assertThat(share.tryReserve(1)).isFalse();
        assertThat(share.refusals()).isEqualTo(1);
        assertThat(root.bytesUsed()).isEqualTo(100);
        share.release(100);
        assertThat(root.bytesUsed()).isZero();
    }

    @Test
    void sharesTogetherNeverExceedTheirRoot() {
        MemoryBudget root = MemoryBudget.of("process", 100);
        MemoryBudget one = root.share("one", 80);
        MemoryBudget other = root.share("other", 80);
        assertThat(one.tryReserve(80)).isTrue();
        assertThat(other.tryReserve(21)).isFalse();
        assertThat(other.bytesUsed()).isZero();
        assertThat(root.refusals()).isEqualTo(1);
        assertThat(other.refusals()).isZero();
        assertThat(other.tryReserve(20)).isTrue();
    }

    @Test
    void bytesThatTheBudgetAboveHasGrantedMoveIntoAShareAndReturnToBoth() {
        MemoryBudget root = MemoryBudget.of("process", 100);
        MemoryBudget part = root.share("part", 50);
        assertThat(root.tryReserve(60)).isTrue();
        assertThat(part.tryTakeFromAbove(60)).isFalse();
        assertThat(part.bytesUsed()).isZero();
        assertThat(part.tryTakeFromAbove(40)).isTrue();
        assertThat(part.tryTakeFromAbove(11)).isFalse();
        assertThat(root.bytesUsed()).isEqualTo(60);
        part.release(40);
        assertThat(part.bytesUsed()).isZero();
        assertThat(root.bytesUsed()).isEqualTo(20);
    }

    @Test
    void aClosedReservationIsEmptyAndAcceptsNothing() {
        MemoryBudget root = MemoryBudget.of("process", 100);
        MemoryBudget.Reservation request = root.reservation();
        assertThat(request.add(60)).isTrue();
        assertThat(request.add(60)).isFalse();
        request.close();
        request.close();
        assertThat(root.bytesUsed()).isZero();
        assertThat(request.add(1)).isFalse();
        assertThat(root.bytesUsed()).isZero();
    }

    @Test
    void releasingMoreThanWasReservedIsADefect() {
        MemoryBudget root = MemoryBudget.of("process", 100);
        assertThatThrownBy(() -> root.release(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void manyThreadsLeaveNothingBehindAndNeverExceedTheLimit() throws Exception {
        MemoryBudget root = MemoryBudget.of("process", 1_000);
        MemoryBudget share = root.share("requests", 700);
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<Boolean>> runs = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                runs.add(threads.submit(reserving(share)));
            }
            for (Future<Boolean> run : runs) {
                assertThat(run.get()).isTrue();
            }
        }
        assertThat(share.bytesUsed()).isZero();
        assertThat(root.bytesUsed()).isZero();
    }

    private static Callable<Boolean> reserving(MemoryBudget share) {
        return () -> {
            for (int round = 0; round < 20_000; round++) {
                try (MemoryBudget.Reservation one = share.reservation()) {
                    one.add(150);
                    one.add(150);
                    if (one.bytes() > 300) {
                        return false;
                    }
                }
            }
            return true;
        };
    }
}
