package petrichor.kv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/**
 * Values of 1 byte to 1 MB, mixed in one table and in one batch: requests to servers must be
 * bounded by bytes, not by numbers of rows. Run these cases over servers as configured by {@code
 * store start} and as configured by their packages.
 */
public interface SizeConformance extends StoreUnderTest {
    int MEGABYTE = 1_000_000;

    /** Sizes that once blocked a store: many small rows, then large ones of which few fit. */
    @Test
    default void largeRowsAfterSmallOnesAreWrittenAndRead() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            WriteBatch batch = new WriteBatch();
            for (int i = 0; i < 1_000; i++) {
                batch.put(TABLE, number(i), filled(20, i));
            }
            for (int i = 1_000; i < 1_200; i++) {
                batch.put(TABLE, number(i), filled(60_000, i));
            }
            put(store, batch, 1);
            try (KeyValueStore again = reopen(store)) {
                List<byte[]> keys = new ArrayList<>();
                for (int i = 0; i < 1_200; i++) {
                    keys.add(number(i));
                }
                List<byte @Nullable []> values = again.get(TABLE, keys);
                for (int i = 0; i < 1_200; i++) {
                    assertThat(values.get(i)).isEqualTo(filled(i < 1_000 ? 20 : 60_000, i));
                }
            }
        }
    }

    @Test
    default void megabytesInOneBatchAreWrittenAndScanned() {
        try (KeyValueStore store = open()) {
            store.createTable(TABLE);
            WriteBatch batch = new WriteBatch();
            for (int i = 0; i < 20; i++) {
                batch.put(TABLE, number(i), filled(MEGABYTE, i));
            }
            put(store, batch, 1);
            for (Direction direction : Direction.values()) {
                int seen = 0;
                try (Scan scan = store.scan(TABLE, KeyRange.ALL, direction, Integer.MAX_VALUE)) {
                    while (scan.next()) {
                        int at = direction == Direction.FORWARD ? seen : 19 - seen;
                        assertThat(scan.value()).isEqualTo(filled(MEGABYTE, at));
                        seen++;
                    }
                }
                assertThat(seen).isEqualTo(20);
            }
        }
    }

    /** Sizes from 1 byte to 1 MB, replaced and deleted, with the store reopened in between. */
    @Test
    @Tag("slow")
    default void mixedSizesSurviveEveryReopening() {
        Seeds.each(
                1,
                random -> {
                    KeyValueStore store = open();
                    try {
                        store.createTable(TABLE);
                        Map<Integer, byte[]> model = new TreeMap<>();
                        for (int round = 1; round <= 6; round++) {
                            change(store, model, random, round);
                            store = reopen(store);
                            compare(store, model);
                        }
                    } finally {
                        store.close();
                    }
                });
    }

    private static void change(
            KeyValueStore store, Map<Integer, byte[]> model, SplittableRandom random, int round) {
        for (int batches = 0; batches < 10; batches++) {
            WriteBatch batch = new WriteBatch();
            for (int row = random.nextInt(1, 60); row > 0; row--) {
                int key = random.nextInt(2_000);
                if (random.nextInt(10) == 0) {
                    batch.delete(TABLE, number(key));
                    model.remove(key);
                } else {
                    byte[] value = filled(size(random), random.nextInt());
                    batch.put(TABLE, number(key), value);
                    model.put(key, value);
                }
            }
            put(store, batch, round * 100L + batches);
        }
    }

    private static void compare(KeyValueStore store, Map<Integer, byte[]> model) {
        var expected = model.entrySet().iterator();
        try (Scan scan = store.scan(TABLE, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                assertThat(expected.hasNext()).isTrue();
                var row = expected.next();
                assertThat(scan.key()).isEqualTo(number(row.getKey()));
                assertThat(scan.value()).isEqualTo(row.getValue());
            }
        }
        assertThat(expected.hasNext()).as("rows that the store has lost").isFalse();
    }

    /** 1 byte to 1 MB, each order of magnitude equally often. */
    private static int size(SplittableRandom random) {
        return (int) Math.pow(10, random.nextDouble(0, 6));
    }

    /** Writes rows like a commit: with a version if the store supports it. */
    private static void put(KeyValueStore store, WriteBatch batch, long version) {
        switch (store.durableStep()) {
            case DurableStep.ConditionalRow step -> step.putIfNewer(batch, version);
            case DurableStep.AtomicBatch _ -> store.write(batch);
            case DurableStep.PlainRow _ -> store.write(batch);
        }
    }

    private static byte[] number(int number) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
    }

    /** Incompressible bytes. */
    private static byte[] filled(int bytes, int seed) {
        byte[] value = new byte[bytes];
        new SplittableRandom(seed).nextBytes(value);
        return value;
    }
}
