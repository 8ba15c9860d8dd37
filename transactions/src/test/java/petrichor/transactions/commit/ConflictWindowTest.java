package petrichor.transactions.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.base.MemoryBudget;
import petrichor.kv.KeyRange;

/** Compares the window with a list of all writes, under random writes and queries. */
class ConflictWindowTest {
    private static final int SEEDS = 40;
    private static final int STEPS = 3_000;
    private static final int KEYS = 400;

    private static final int LARGE_WRITES = 100;
    private static final int LARGE_KEY_BYTES = 32_000;

    /** Of each window. */
    private static final int UNSHARED_BYTES = 64 << 10;

    @Test
    void answersLikeAListOfAllWrites() {
        int conflicts = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            conflicts += compare(new SplittableRandom(seed));
        }
        assertThat(conflicts).as("questions that found a write").isGreaterThan(SEEDS * STEPS / 20);
    }

    private static int compare(SplittableRandom random) {
        ConflictWindow window = new ConflictWindow(1 << 20, 0);
        List<ConflictWindow.Write> writes = new ArrayList<>();
        long version = 1;
        int conflicts = 0;
        for (int step = 0; step < STEPS; step++) {
            long asked = Math.max(window.floor(), version - random.nextInt(300));
            switch (random.nextInt(16)) {
                case 0 -> {
                    long until = version - random.nextInt(200);
                    window.forgetUpTo(until);
                    writes.removeIf(write -> write.version() <= until);
                }
                case 1, 2 -> {
                    KeyRange range = range(random);
                    Long found = version(window.after(asked, range));
                    boolean written =
                            writes.stream()
                                    .anyMatch(
                                            write ->
                                                    write.version() > asked
                                                            && range.contains(write.key()));
                    assertThat(found != null).isEqualTo(written);
                    conflicts += written ? 1 : 0;
                }
                case 3, 4, 5, 6 -> {
                    byte[] key = key(random);
                    Long found = version(window.after(asked, key));
                    assertThat(found).isEqualTo(newest(writes, key, asked));
                    conflicts += found == null ? 0 : 1;
                }
                default -> {
                    byte[] key = key(random);
                    version += random.nextInt(3);
                    long now = ++version;
                    window.add(key, now);
                    writes.add(new ConflictWindow.Write(key, now, Bytes.hash(key)));
                }
            }
            assertThat(window.size()).isEqualTo(writes.size());
        }
        return conflicts;
    }

    @Test
    void aWindowForgetsTheOldestWritesBeyondItsBound() {
        ConflictWindow window = new ConflictWindow(1 << 20, 0);
        fill(window, 0);
        assertThat(window.size() * LARGE_KEY_BYTES).isBetween(1 << 19, 1 << 20);
        assertThat(window.floor()).isEqualTo(LARGE_WRITES - window.size());
    }

    @Test
    void aWindowForgetsWritesBeyondTheSharedMemory() {
        MemoryBudget shared = MemoryBudget.of("windows", 1 << 20);
        ConflictWindow first = new ConflictWindow(Long.MAX_VALUE, 0, shared);
        fill(first, 0);
        int kept = first.size();
        assertThat(kept * LARGE_KEY_BYTES).isBetween(1 << 19, (1 << 20) + UNSHARED_BYTES);
        assertThat(first.floor()).isEqualTo(LARGE_WRITES - kept);
        assertThat(first.after(LARGE_WRITES - 1, large(LARGE_WRITES))).isNotNull();

        ConflictWindow second = new ConflictWindow(Long.MAX_VALUE, 0, shared);
        fill(second, 0);
        assertThat(second.size() * LARGE_KEY_BYTES).isBetween(1, UNSHARED_BYTES);

        first.forgetUpTo(LARGE_WRITES);
        assertThat(shared.bytesUsed()).as("returned by a window that became small").isZero();
        fill(second, LARGE_WRITES);
        assertThat(second.size()).isEqualTo(kept);
    }

    private static void fill(ConflictWindow window, int after) {
        for (int i = 1; i <= LARGE_WRITES; i++) {
            window.add(large(after + i), after + i);
        }
        window.trim();
    }

    private static byte[] large(int number) {
        return Arrays.copyOf(new byte[] {(byte) number}, LARGE_KEY_BYTES);
    }

    private static byte[] key(SplittableRandom random) {
        return new byte[] {(byte) random.nextInt(KEYS / 20), (byte) random.nextInt(20)};
    }

    private static KeyRange range(SplittableRandom random) {
        byte[] left = key(random);
        byte[] right = key(random);
        return Bytes.compare(left, right) <= 0
                ? new KeyRange(left, right)
                : new KeyRange(right, left);
    }

    private static @Nullable Long version(ConflictWindow.@Nullable Write write) {
        return write == null ? null : write.version();
    }

    private static @Nullable Long newest(
            List<ConflictWindow.Write> writes, byte[] key, long after) {
        for (ConflictWindow.Write write : writes.reversed()) {
            if (Bytes.compare(write.key(), key) == 0) {
                return write.version() > after ? write.version() : null;
            }
        }
        return null;
    }
}
