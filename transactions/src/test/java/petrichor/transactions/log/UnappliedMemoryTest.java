package petrichor.transactions.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import petrichor.base.MemoryBudget;
import petrichor.transactions.TransactionMemory;

class UnappliedMemoryTest {
    private final TransactionMemory memory =
            TransactionMemory.of(MemoryBudget.of("process", 1 << 20));
    private final UnappliedMemory unapplied = new UnappliedMemory(memory);
    private final long half = memory.unapplied().bytesMax() / 2;

    /** If a step only checked that memory is free, each database would use the same bytes. */
    @Test
    void theMemoryThatOneStepTakesIsNotThereForOthers() {
        StepMemory first = step();
        StepMemory second = step();
        StepMemory third = step();
        assertThat(unapplied.take(first)).isTrue();
        assertThat(unapplied.take(second)).isTrue();
        assertThat(unapplied.take(third)).isFalse();
        assertThat(unapplied.take(second)).as("taken before").isTrue();
        assertThat(memory.unapplied().bytesUsed()).isEqualTo(2 * half);
        assertThat(memory.queued().bytesUsed()).as("reserved by all three").isEqualTo(3 * half);

        StepMemory.Held kept = first.keep();
        first.close();
        assertThat(unapplied.take(third)).as("while the first is not applied").isFalse();
        unapplied.release(kept);
        assertThat(unapplied.take(third)).isTrue();
        second.close();
        third.close();
        assertThat(memory.unapplied().bytesUsed()).isZero();
        assertThat(memory.queued().bytesUsed()).isZero();
    }

    @Test
    void aStepThatKeepsNothingLetsOthersLookAgain() {
        AtomicInteger looks = new AtomicInteger();
        StepMemory refused = step();
        assertThat(unapplied.take(refused)).isTrue();
        try (UnappliedMemory.Wait _ = unapplied.awaitMemory(looks::incrementAndGet)) {
            refused.close();
        }
        assertThat(looks).hasValue(1);
    }

    private StepMemory step() {
        assertThat(memory.queued().tryReserve(half)).isTrue();
        return new StepMemory(memory.queued(), half);
    }
}
