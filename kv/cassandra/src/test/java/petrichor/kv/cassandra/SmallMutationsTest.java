package petrichor.kv.cassandra;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.bytes;
import static petrichor.kv.testkit.Rows.step;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.StoreUrl;
import petrichor.kv.WriteBatch;
import petrichor.kv.ranges.PartitionState;
import petrichor.kv.ranges.RangeLimits;
import petrichor.kv.testkit.RealStore;

/** A node that accepts much smaller writes than the default, as users may have configured it. */
@Tag("slow")
class SmallMutationsTest {
    private static final String SLOTS = "slots";
    private static final int KILLS = 4;
    private static final int WRITERS = 4;
    private static final int ROWS_PER_WRITER = 100;

    /** The node accepts values of 384 KiB. */
    private static final int BYTES_MAX = 300_000;

    private static final Duration SPLIT_WITHIN = Duration.ofMinutes(2);
    private static final Duration COMES_BACK_MAX = Duration.ofMinutes(2);

    /** Partitions are split or rewritten all the time, in many steps. */
    private static final RangeLimits TINY =
            new RangeLimits(40, 2L << 20, 80, 10, 64 << 10, Duration.ofMillis(20), 100, 1_000);

    private final long seed = Long.getLong("seed", new Random().nextInt(1_000_000));

    private static String small(String settings) {
        return settings.replace(
                "commitlog_segment_size: 32MiB",
                "commitlog_segment_size: 4MiB\nmax_mutation_size: 1MiB");
    }

    @Test
    void splitsOfMixedSizesSurviveKills() throws Exception {
        try (RealStore server = RealStore.start(ChangedSettings.of(SmallMutationsTest::small), 1)) {
            CassandraAddress address =
                    CassandraAddress.of(StoreUrl.parse(server.url() + "?timeout=20s"));
            Content expected = new Content();
            SplittableRandom chance = new SplittableRandom(seed);
            try (KeyValueStore store = CassandraStores.open(address, TINY)) {
                store.createTable(TABLE);
                store.createTable(SLOTS);
                for (int kill = 0; kill < KILLS; kill++) {
                    List<Callable<Void>> writers = writers(store, expected, kill, chance);
                    try (CassandraRows rows = CassandraStores.rows(address);
                            ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
                        List<Future<Void>> running = writers.stream().map(threads::submit).toList();
                        String table = kill % 2 == 0 ? TABLE : SLOTS;
                        awaitSplit(rows, table, running);
                        server.kill(1);
                        for (Future<Void> writer : running) {
                            writer.get();
                        }
                    }
                    server.start(1);
                    awaitBack(store);
                    expected.compare(store, seed);
                    try (KeyValueStore fresh = CassandraStores.open(address, TINY)) {
                        expected.compare(fresh, seed);
                    }
                }
                try (CassandraRows rows = CassandraStores.rows(address)) {
                    await(() -> !isSplitting(rows, TABLE) && !isSplitting(rows, SLOTS));
                    assertThat(rows.directory(TABLE)).hasSizeGreaterThan(2);
                    assertThat(rows.directory(SLOTS)).hasSizeGreaterThan(2);
                }
                assertThat(store.problem()).isEmpty();
                expected.compare(store, seed);
            }
        }
    }

    /** Each writes until the server is killed. */
    private static List<Callable<Void>> writers(
            KeyValueStore store, Content expected, int round, SplittableRandom chance) {
        List<Callable<Void>> writers = new ArrayList<>();
        for (int number = 0; number < WRITERS; number++) {
            SplittableRandom own = chance.split();
            String prefix = "writer " + number + " row ";
            boolean conditional = number == 0;
            writers.add(
                    () -> {
                        for (int at = 1; ; at++) {
                            boolean went =
                                    conditional
                                            ? insert(store, expected, round + "-" + at, own)
                                            : replace(
                                                    store,
                                                    expected,
                                                    prefix + own.nextInt(ROWS_PER_WRITER),
                                                    // Rounds are separated by far more.
                                                    round * 1_000_000_000L + at,
                                                    own);
                            if (!went) {
                                return null;
                            }
                        }
                    });
        }
        return writers;
    }

    private static boolean replace(
            KeyValueStore store,
            Content expected,
            String row,
            long version,
            SplittableRandom chance) {
        byte[] value = chance.nextInt(10) == 0 ? Content.NONE : mixed(chance);
        WriteBatch batch = new WriteBatch();
        if (value.length == 0) {
            batch.delete(TABLE, bytes(row));
        } else {
            batch.put(TABLE, bytes(row), value);
        }
        expected.writing(TABLE, row, value);
        try {
            step(store).putIfNewer(batch, version);
        } catch (PetrichorException killed) {
            assertThat(killed.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            return false;
        }
        expected.wrote(TABLE, row, value);
        return true;
    }

    private static boolean insert(
            KeyValueStore store, Content expected, String row, SplittableRandom chance) {
        byte[] value = mixed(chance);
        expected.writing(SLOTS, row, value);
        try {
            Outcome outcome = step(store).putIfAbsent(SLOTS, bytes(row), value);
            if (outcome == Outcome.UNKNOWN) {
                return false;
            }
            assertThat(outcome).isEqualTo(Outcome.DONE);
        } catch (PetrichorException killed) {
            assertThat(killed.code()).isEqualTo(ErrorCode.UNAVAILABLE);
            return false;
        }
        expected.wrote(SLOTS, row, value);
        return true;
    }

    /** 1 byte to the longest; all orders of magnitude are equally frequent. */
    private static byte[] mixed(SplittableRandom chance) {
        byte[] value = new byte[(int) Math.pow(BYTES_MAX, chance.nextDouble())];
        chance.nextBytes(value);
        return value;
    }

    private static void awaitSplit(CassandraRows rows, String table, List<Future<Void>> writers)
            throws Exception {
        await(
                () ->
                        isSplitting(rows, table)
                                || writers.stream().anyMatch(Future::isDone)); // failed
        for (Future<Void> writer : writers) {
            if (writer.isDone()) {
                writer.get();
                throw new AssertionError("a writer ended before the server was killed");
            }
        }
    }

    private static boolean isSplitting(CassandraRows rows, String table) {
        return rows.directory(table).stream()
                .map(line -> rows.state(line.partition()))
                .toList()
                .stream()
                .anyMatch(state -> state.join() == PartitionState.SEALED);
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + SPLIT_WITHIN.toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("time until it is so").isLessThan(end);
        }
    }

    private static void awaitBack(KeyValueStore store) {
        long end = System.nanoTime() + COMES_BACK_MAX.toNanos();
        while (true) {
            try {
                store.get(TABLE, bytes("any"));
                return;
            } catch (PetrichorException notYet) {
                assertThat(notYet.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                assertThat(System.nanoTime()).as("time until it is back").isLessThan(end);
            }
        }
    }

    /** What was acknowledged, and what may have been written. Thread-safe. */
    private static final class Content {
        /** The content of a missing row. */
        static final byte[] NONE = {};

        private final Map<String, byte[]> acknowledged = new ConcurrentHashMap<>();
        private final Map<String, byte[]> unknown = new ConcurrentHashMap<>();

        void writing(String table, String row, byte[] value) {
            unknown.put(table + "/" + row, value);
        }

        void wrote(String table, String row, byte[] value) {
            acknowledged.put(table + "/" + row, value);
            unknown.remove(table + "/" + row);
        }

        /** All rows, as scans return them. */
        void compare(KeyValueStore store, long seed) {
            Map<String, byte[]> found = new HashMap<>();
            for (String table : List.of(TABLE, SLOTS)) {
                try (Scan scan =
                        store.scan(table, KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
                    while (scan.next()) {
                        found.put(table + "/" + new String(scan.key(), UTF_8), scan.value());
                    }
                }
            }
            Set<String> names = new HashSet<>(found.keySet());
            names.addAll(acknowledged.keySet());
            for (String name : names) {
                byte[] content = found.getOrDefault(name, NONE);
                byte[] acked = acknowledged.getOrDefault(name, NONE);
                byte @Nullable [] maybe = unknown.get(name);
                assertThat(
                                Arrays.equals(acked, content)
                                        || (maybe != null && Arrays.equals(maybe, content)))
                        .as("%s holds %d bytes, -Dseed=%d", name, content.length, seed)
                        .isTrue();
                acknowledged.put(name, content);
            }
        }
    }
}
