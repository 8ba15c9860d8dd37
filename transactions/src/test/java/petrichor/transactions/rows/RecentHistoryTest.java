package petrichor.transactions.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import petrichor.base.MemoryBudget;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryStore;

/** Replaced rows take their memory from a budget, and are forgotten earlier without it. */
class RecentHistoryTest {
    private static final int STEPS = 20;
    private static final int BYTES = 10_000;
    private static final byte[] STORED = key(1_000);

    private final MemoryBudget memory = MemoryBudget.of("history", 10 * BYTES);

    @Test
    void theOldestRowsAreForgottenWhenTheBudgetIsUsedUp() {
        try (MemoryStore store = stored();
                RecentHistory history = new RecentHistory(() -> true, memory)) {
            history.startAt(0);
            for (int version = 1; version <= STEPS; version++) {
                history.add(replaced(version), version);
                history.trim(version);
            }
            assertThat(memory.bytesUsed()).isBetween(5L * BYTES, 10L * BYTES);
            assertThat(isComplete(history, STEPS - 5, store)).isTrue();
            assertThat(isComplete(history, STEPS - 10, store)).isFalse();
            assertThat(history.after(STEPS, store).get(TableLayout.HISTORY, key(STEPS)))
                    .hasSize(BYTES);
            assertThat(history.after(STEPS, store).get(TableLayout.HISTORY, key(1))).isNull();
        }
        assertThat(memory.bytesUsed()).isZero();
    }

    @Test
    void rowsThatTheStoreDoesNotShowYetAreKeptBeyondTheBudget() {
        try (MemoryStore store = stored();
                RecentHistory history = new RecentHistory(() -> true, memory);
                MemoryBudget.Reservation others = memory.reservation()) {
            assertThat(others.add(memory.bytesMax())).isTrue();
            history.startAt(0);
            history.add(replaced(1), 1);
            history.add(replaced(2), 2);
            history.trim(1);
            assertThat(history.after(0, store).get(TableLayout.HISTORY, key(1))).isNull();
            assertThat(history.after(0, store).get(TableLayout.HISTORY, key(2))).hasSize(BYTES);
            history.trim(2);
            assertThat(history.after(0, store).get(TableLayout.HISTORY, key(2))).isNull();
            others.clear();
            history.add(replaced(3), 3);
            history.trim(3);
            assertThat(isComplete(history, 2, store)).isTrue();
            assertThat(history.after(2, store).get(TableLayout.HISTORY, key(3))).hasSize(BYTES);
            history.startAt(3);
            assertThat(memory.bytesUsed()).isZero();
        }
    }

    /** A history that is not complete also reads the store. */
    private static boolean isComplete(RecentHistory history, long since, MemoryStore store) {
        return history.after(since, store).get(TableLayout.HISTORY, STORED) == null;
    }

    private static MemoryStore stored() {
        MemoryStore store = MemoryStore.open();
        store.createTable(TableLayout.HISTORY);
        store.write(new WriteBatch().put(TableLayout.HISTORY, STORED, new byte[1]));
        return store;
    }

    private static WriteBatch replaced(int version) {
        return new WriteBatch().put(TableLayout.HISTORY, key(version), new byte[BYTES]);
    }

    private static byte[] key(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }
}
