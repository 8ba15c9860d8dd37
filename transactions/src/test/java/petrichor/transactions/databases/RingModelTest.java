package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.range;
import static petrichor.transactions.databases.Rows.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Snapshot;
import petrichor.transactions.ring.Ring;

/**
 * A database with a ring behaves like a map in memory, at every version, while its ranges move,
 * members join and leave, and processes die and continue late. Afterwards the stores have the rows
 * of the map, and no others.
 */
class RingModelTest {
    private static final int OPERATIONS = 400;
    private static final int SEEDS_SLOW = 150;
    private static final KeyRange KEYS = range("k", "l");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void aRingBehavesLikeAMap(int seed) {
        new Run(seed).run();
    }

    @Tag("slow")
    @org.junit.jupiter.api.Test
    void aRingBehavesLikeAMapForLong() {
        for (int seed = 100; seed < 100 + SEEDS_SLOW; seed++) {
            new Run(seed).run();
        }
    }

    /** A version and what it has. */
    private record Past(long version, List<String> rows) {}

    private static final class Run {
        private final Random random;
        private final int seed;
        private final TestTime time = new TestTime();
        private final RingStores stores = new RingStores("a", "b", "c", "d");
        private final List<RingProcess> former = new ArrayList<>();
        private final TreeMap<String, String> model = new TreeMap<>();
        private final List<Past> past = new ArrayList<>();
        private RingProcess process;

        Run(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.process = new RingProcess(stores, time);
        }

        void run() {
            for (int i = 0; i < 100; i++) {
                write();
            }
            ring().create(List.of("a", "b"));
            ring().cover(List.of(KEYS));
            for (int i = 0; i < OPERATIONS; i++) {
                step();
            }
            check();
            settle();
            // A cancelled plan leaves ranges where they are, even in the home.
            ring().rebalance(false);
            settle();
            check();
            past.forEach(this::check);
            assertThat(stores.rows("home")).as("seed %s", seed).isZero();
            assertThat(stores.rows("a") + stores.rows("b") + stores.rows("c") + stores.rows("d"))
                    .as("rows, seed %s, %s", seed, ring().status())
                    .isEqualTo(model.size());
            process.close();
            former.forEach(RingProcess::close);
            stores.close();
        }

        private void settle() {
            for (int i = 0; i < 100; i++) {
                process.background.runAll();
                ring().tidy();
            }
            assertThat(ring().status().orElseThrow().settled()).as("seed %s", seed).isTrue();
        }

        private void step() {
            switch (random.nextInt(20)) {
                case 0, 1, 2, 3, 4, 5, 6 -> write();
                case 7 -> check();
                case 8 -> {
                    if (!past.isEmpty()) {
                        check(past.get(random.nextInt(past.size())));
                    }
                }
                case 9, 10, 11, 12 -> work(process, 1 + random.nextInt(12));
                case 13 -> request();
                case 14 -> remember();
                case 15 -> {
                    if (random.nextInt(3) == 0) {
                        die();
                    }
                }
                case 16, 17 -> {
                    if (!former.isEmpty()) {
                        work(former.get(random.nextInt(former.size())), 3);
                    }
                }
                case 18 -> time.advanceMicros(1_000_000L * random.nextInt(120));
                default -> ring().tidy();
            }
        }

        private RowDatabase database() {
            return process.database();
        }

        private Ring ring() {
            return database().ring();
        }

        private static void work(RingProcess of, int tasks) {
            for (int i = 0; i < tasks; i++) {
                of.background.runOnce();
            }
        }

        private void write() {
            String key = "k" + random.nextInt(300);
            if (random.nextInt(4) == 0) {
                model.remove(key);
                committed(put(database(), key, null));
            } else {
                String value = "v" + "x".repeat(random.nextInt(20)) + random.nextInt();
                model.put(key, value);
                committed(put(database(), key, value));
            }
        }

        /** The former process is not closed: it is paused, and continues late. */
        private void die() {
            former.add(process);
            process = new RingProcess(stores, time);
            var _ = database();
        }

        private void remember() {
            String key = "k" + random.nextInt(300);
            model.put(key, "remembered");
            long version = committed(put(database(), key, "remembered"));
            past.add(new Past(version, modelRows()));
            time.advanceMicros(1_000);
        }

        private List<String> modelRows() {
            return model.entrySet().stream()
                    .map(entry -> entry.getKey() + "=" + entry.getValue())
                    .toList();
        }

        private void check() {
            try (Snapshot snapshot = database().snapshot()) {
                check(snapshot, modelRows());
            }
        }

        private void check(Past then) {
            long now = Math.max(time.epochMicros(), then.version);
            if (now - then.version < 3_000_000_000L) {
                try (Snapshot snapshot = database().snapshotAt(then.version)) {
                    check(snapshot, then.rows);
                }
            }
        }

        private void check(Snapshot snapshot, List<String> rows) {
            assertThat(scan(snapshot, KeyRange.ALL, Direction.FORWARD))
                    .as("seed %s", seed)
                    .isEqualTo(rows);
            assertThat(scan(snapshot, KEYS, Direction.REVERSE))
                    .as("seed %s", seed)
                    .isEqualTo(rows.reversed());
            for (String row : rows) {
                if (random.nextInt(10) == 0) {
                    int end = row.indexOf('=');
                    assertThat(Rows.text(snapshot.get(Rows.bytes(row.substring(0, end)))))
                            .as("seed %s", seed)
                            .isEqualTo(row.substring(end + 1));
                }
            }
        }

        private void request() {
            String store = List.of("a", "b", "c", "d").get(random.nextInt(4));
            try {
                switch (random.nextInt(8)) {
                    case 0, 1 -> ring().add(store);
                    case 2 -> ring().remove(store);
                    case 3, 4, 5 -> {
                        int from = 10 + random.nextInt(80);
                        int to = from + random.nextInt(100 - from);
                        ring().move(range("k" + from, "k" + to), store);
                    }
                    case 6 -> ring().rebalance(random.nextBoolean());
                    default -> ring().cancel();
                }
            } catch (PetrichorException notPossible) {
                // For instance a store that is in the ring already.
                assertThat(notPossible.getMessage())
                        .containsAnyOf("not in the ring", "different stores", "the last one");
            }
        }
    }
}
