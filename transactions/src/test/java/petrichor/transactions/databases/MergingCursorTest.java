package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.committed;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.Database;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;

/** Compares reads of past versions with a model that keeps every version of the whole database. */
class MergingCursorTest {
    private static final long HOUR_MICROS = 3_600_000_000L;

    private record Moment(long version, NavigableMap<byte[], byte[]> rows) {}

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    @ParameterizedTest
    @EnumSource(
            value = TestStore.class,
            names = {
                "MEMORY_WITH_VIEWS",
                "MEMORY_WITHOUT_VIEWS",
                "MEMORY_WITH_LOG",
                "MEMORY_WITH_PLAIN_LOG"
            })
    void everyVersionReadsAsItWas(TestStore kind) {
        TransactionLimits limits =
                TransactionLimits.DEFAULT.withRetention(java.time.Duration.ofDays(1));
        try (TestBench bench = TestBench.open(kind, limits)) {
            Database database = bench.database();
            List<Moment> moments = new ArrayList<>();
            TreeMap<byte[], byte[]> state = new TreeMap<>(Bytes::compare);
            for (int i = 0; i < 1_500; i++) {
                bench.time().advanceMicros(random.nextInt(400) == 0 ? HOUR_MICROS / 2 : 10);
                // A few keys are written repeatedly, so that their history is long.
                byte[] key = random.nextInt(3) == 0 ? bytes(i % 5) : randomKey();
                byte[] value = random.nextInt(4) == 0 ? null : bytes(i);
                long version = write(database, key, value);
                if (value == null) {
                    state.remove(key);
                } else {
                    state.put(key, value);
                }
                moments.add(new Moment(version, new TreeMap<>(state)));
            }
            for (int i = 0; i < 400; i++) {
                Moment moment = moments.get(random.nextInt(moments.size()));
                try (Snapshot past = database.snapshotAt(moment.version)) {
                    compare(past, moment.rows);
                }
            }
        }
    }

    private void compare(Snapshot past, NavigableMap<byte[], byte[]> model) {
        byte[] one = randomKey();
        byte[] two = randomKey();
        KeyRange range =
                switch (random.nextInt(3)) {
                    case 0 -> KeyRange.ALL;
                    case 1 ->
                            Bytes.compare(one, two) <= 0
                                    ? new KeyRange(one, two)
                                    : new KeyRange(two, one);
                    default -> new KeyRange(one, null);
                };
        byte[] to = range.to();
        var expected =
                to == null
                        ? model.tailMap(range.from(), true)
                        : model.subMap(range.from(), true, to, false);
        List<String> forward = new ArrayList<>();
        expected.forEach((key, value) -> forward.add(Bytes.of(key) + "=" + Bytes.of(value)));
        assertThat(walk(past, range, Direction.FORWARD)).as(what(range)).isEqualTo(forward);
        assertThat(walk(past, range, Direction.REVERSE))
                .as(what(range))
                .isEqualTo(forward.reversed());
        Row row = past.get(one);
        byte[] value = model.get(one);
        assertThat(row == null ? null : Bytes.of(row.value()))
                .as("seed " + seed)
                .isEqualTo(value == null ? null : Bytes.of(value));
    }

    private String what(KeyRange range) {
        return "seed " + seed + ", range " + range;
    }

    private static List<String> walk(RowReader reader, KeyRange range, Direction direction) {
        List<String> rows = new ArrayList<>();
        try (RowCursor cursor = reader.scan(range, direction)) {
            while (cursor.next()) {
                rows.add(Bytes.of(cursor.key()) + "=" + Bytes.of(cursor.value()));
            }
        }
        return rows;
    }

    private static long write(
            Database database, byte[] key, byte @org.jspecify.annotations.Nullable [] value) {
        try (Snapshot snapshot = database.snapshot()) {
            return committed(
                    database.commit(
                            new CommitRequest(
                                    snapshot.version(),
                                    List.of(),
                                    List.of(),
                                    List.of(key),
                                    List.of(new RowWrite(key, value, snapshot.get(key))))));
        }
    }

    /** Up to three bytes from both ends of the byte range, where escaping matters. */
    private byte[] randomKey() {
        byte[] key = new byte[1 + random.nextInt(5)];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) new int[] {0, 1, 2, 0xFE, 0xFF}[random.nextInt(5)];
        }
        return key;
    }

    private static byte[] bytes(int number) {
        return new byte[] {(byte) (number >> 8), (byte) number};
    }
}
