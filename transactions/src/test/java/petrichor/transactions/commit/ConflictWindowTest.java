package petrichor.transactions.commit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/** Compares the window with a list of all writes, under random writes and queries. */
class ConflictWindowTest {
    private static final int SEEDS = 40;
    private static final int STEPS = 3_000;
    private static final int KEYS = 400;

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
