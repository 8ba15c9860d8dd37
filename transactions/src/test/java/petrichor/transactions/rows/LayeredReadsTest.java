package petrichor.transactions.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;

class LayeredReadsTest {
    private static final String TABLE = TableLayout.ROWS;
    private static final int KEYS = 40;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    /** Compared with a map of the combined content of both layers. */
    @Test
    void bothLayersReadAsOne() {
        try (MemoryStore store = MemoryStore.open(MemoryOptions.DEFAULT.withoutViews())) {
            store.createTable(TABLE);
            RecentRows recent = new RecentRows();
            TreeMap<Bytes, byte[]> model = new TreeMap<>();
            List<WriteBatch> waiting = new ArrayList<>();
            long applied = 0;
            long version = 0;
            for (int round = 0; round < 3_000; round++) {
                if (random.nextInt(2) == 0) {
                    WriteBatch batch = randomBatch(model);
                    recent.add(batch, ++version);
                    waiting.add(batch);
                } else if (!waiting.isEmpty()) {
                    WriteBatch batch = waiting.removeFirst();
                    store.write(batch);
                    recent.remove(batch, ++applied);
                }
                compare(recent, store, model);
            }
            assertThat(model).as("seed %d", seed).hasSizeGreaterThan(5);
        }
    }

    private WriteBatch randomBatch(Map<Bytes, byte[]> model) {
        WriteBatch batch = new WriteBatch();
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            byte[] key = {(byte) random.nextInt(KEYS)};
            byte[] value = {(byte) random.nextInt()};
            if (random.nextInt(3) > 0) {
                batch.put(TABLE, key, value);
                model.put(Bytes.of(key), value);
            } else {
                batch.delete(TABLE, key);
                model.remove(Bytes.of(key));
            }
        }
        return batch;
    }

    private void compare(RecentRows recent, MemoryStore store, NavigableMap<Bytes, byte[]> model) {
        LayeredReads reads = new LayeredReads(recent::tree, store);
        byte[] from = {(byte) random.nextInt(KEYS)};
        byte[] to = {(byte) (from[0] + random.nextInt(KEYS))};
        KeyRange range = new KeyRange(from, random.nextInt(4) == 0 ? null : to);
        Direction direction = random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE;
        int limit = random.nextInt(3) == 0 ? Integer.MAX_VALUE : random.nextInt(10);
        List<String> expected = new ArrayList<>();
        (direction == Direction.FORWARD ? model : model.descendingMap())
                .forEach(
                        (key, value) -> {
                            if (range.contains(key.array()) && expected.size() < limit) {
                                expected.add(key.array()[0] + "=" + value[0]);
                            }
                        });
        List<String> found = new ArrayList<>();
        try (Scan scan = reads.scan(TABLE, range, direction, limit)) {
            while (scan.next()) {
                found.add(scan.key()[0] + "=" + scan.value()[0]);
            }
        }
        assertThat(found)
                .as("seed %d, %s %s %d", seed, range, direction, limit)
                .isEqualTo(expected);
        byte[] other = {(byte) random.nextInt(KEYS)};
        List<byte @Nullable []> values = reads.get(TABLE, List.of(from, other));
        assertThat(values.get(0)).as("seed %d", seed).isEqualTo(model.get(Bytes.of(from)));
        assertThat(values.get(1)).as("seed %d", seed).isEqualTo(model.get(Bytes.of(other)));
        assertThat(reads.get(TABLE, other)).isEqualTo(model.get(Bytes.of(other)));
    }
}
