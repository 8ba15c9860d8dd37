package petrichor.kv.ranges;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.kv.testkit.Seeds;

/**
 * Simulation of processes that share constantly splitting partitions, with stale directories,
 * randomly interleaved calls, crashes in the middle of a split, and much delayed changes of crashed
 * processes. Every process sees acknowledged changes from then on.
 */
class RangeSimulationTest {
    private static final int SEEDS = 200;
    private static final int PROCESSES = 4;
    private static final int OPERATIONS = 40;
    private static final int KEYS = 24;
    private static final int DEATHS = 2;

    private static final RangeLimits TINY =
            new RangeLimits(4, 1_000, 30, 3, 1 << 20, Duration.ofMillis(1), 5, 2_000);

    @Test
    void acknowledgedChangesOutliveSplitsDeathsAndLateWrites() {
        long[] sum = new long[1];
        Seeds.each(
                SEEDS,
                random -> {
                    Run run = new Run(random);
                    run.all();
                    sum[0] += run.rows.linesOf("versioned") + run.rows.linesOf("plain");
                });
        if (Long.getLong("seed") == null) {
            // Otherwise nothing was split, and nothing was tested.
            assertThat(sum[0]).isGreaterThan(SEEDS * 4);
        }
    }

    /** One seed. */
    private static final class Run {
        private final SplittableRandom random;
        private final Turns turns;
        private final HeapRows rows = new HeapRows();
        private final History versioned = new History();
        private final History plain = new History();
        private long lastVersion;
        private int lastPlain;

        Run(SplittableRandom random) {
            this.random = random;
            this.turns = new Turns(random, DEATHS);
        }

        void all() {
            RangedStore first = store(-1);
            first.createTable("versioned");
            first.createTable("plain");
            for (int process = 0; process < PROCESSES; process++) {
                int its = process;
                RangedStore store = store(process);
                turns.start(process, () -> work(store, its));
            }
            turns.run();
            checkAll(store(-1));
        }

        private RangedStore store(int process) {
            HeapRows.Gate gate =
                    new HeapRows.Gate() {
                        @Override
                        public <T> T pass(Supplier<T> effect) {
                            return turns.call(effect);
                        }
                    };
            return new RangedStore(
                    rows.through(gate),
                    TINY,
                    random::nextLong,
                    bound -> random.nextLong(bound),
                    (task, after) -> {
                        // Other processes work during retries: no thread waits for real time.
                        if (after.isZero()) {
                            turns.start(process, task);
                        }
                    },
                    turns::pause);
        }

        private void work(RangedStore store, int process) {
            for (int i = 0; i < OPERATIONS && !turns.isDead(process); i++) {
                int dice = random.nextInt(10);
                if (dice < 3) {
                    putIfNewer(store);
                } else if (dice < 4) {
                    putThenRead(store);
                } else if (dice < 6) {
                    write(store);
                } else if (dice < 7) {
                    putIfAbsent(store);
                } else if (dice < 9) {
                    read(store);
                } else {
                    scan(store);
                }
            }
        }

        private byte[] key() {
            return new byte[] {(byte) random.nextInt(KEYS)};
        }

        private void putIfNewer(RangedStore store) {
            long version = ++lastVersion;
            WriteBatch batch = new WriteBatch();
            Map<Bytes, Boolean> puts = new HashMap<>();
            for (int i = 1 + random.nextInt(4); i > 0; i--) {
                int dice = random.nextInt(10);
                byte[] key = key();
                if (dice < 7) {
                    batch.put("versioned", key, text(version));
                    puts.put(Bytes.of(key), true);
                } else if (dice < 9) {
                    batch.delete("versioned", key);
                    puts.put(Bytes.of(key), false);
                } else {
                    KeyRange range = new KeyRange(key, new byte[] {(byte) (key[0] + 3)});
                    batch.deleteRange("versioned", range);
                    for (int at = 0; at < KEYS; at++) {
                        byte[] one = {(byte) at};
                        if (range.contains(one)) {
                            puts.put(Bytes.of(one), false);
                        }
                    }
                }
            }
            List<History.Change> changes = new ArrayList<>();
            puts.forEach((key, put) -> changes.add(versioned.begin(key, version, put)));
            acknowledge(() -> dup(store, batch, version), changes, versioned);
        }

        private void putThenRead(RangedStore store) {
            long version = ++lastVersion;
            byte[] key = key();
            byte[] other = key();
            var step = (DurableStep.PlainAppend) store.durableStep();
            History.Change change = versioned.begin(Bytes.of(key), version, true);
            History.Look look = versioned.look(Bytes.of(other));
            byte[] value;
            try {
                value = step.putThenRead("versioned", key, text(version), version, other);
            } catch (PetrichorException unknown) {
                return;
            }
            versioned.acknowledge(change);
            versioned.check(look, value, true);
        }

        /** Sometimes twice, as a new owner repeats what the former one has applied. */
        private void dup(RangedStore store, WriteBatch batch, long version) {
            var step = (DurableStep.ConditionalRow) store.durableStep();
            step.putIfNewer(batch, version);
            if (random.nextInt(5) == 0) {
                step.putIfNewer(batch, version);
            }
        }

        private void write(RangedStore store) {
            int number = ++lastPlain;
            byte[] key = key();
            boolean put = random.nextInt(3) > 0;
            WriteBatch batch = new WriteBatch();
            if (put) {
                batch.put("plain", key, text(number));
            } else {
                batch.delete("plain", key);
            }
            List<History.Change> change = List.of(plain.begin(Bytes.of(key), number, put));
            acknowledge(() -> store.write(batch), change, plain);
        }

        private void putIfAbsent(RangedStore store) {
            int number = ++lastPlain;
            byte[] key = key();
            History.Change change = plain.begin(Bytes.of(key), number, true);
            var step = (DurableStep.ConditionalRow) store.durableStep();
            try {
                switch (step.putIfAbsent("plain", key, text(number))) {
                    case DONE -> plain.acknowledge(change);
                    case FENCED -> plain.refuse(change);
                    case UNKNOWN -> throw new AssertionError("nobody is silent here");
                }
            } catch (PetrichorException unknown) {
                // It may have happened.
            }
        }

        private static void acknowledge(
                Runnable write, List<History.Change> changes, History history) {
            try {
                write.run();
                changes.forEach(history::acknowledge);
            } catch (PetrichorException unknown) {
                // They may have happened.
            }
        }

        private void read(RangedStore store) {
            byte[] key = key();
            boolean ofVersioned = random.nextBoolean();
            History history = ofVersioned ? versioned : plain;
            History.Look look = history.look(Bytes.of(key));
            byte[] value = store.get(ofVersioned ? "versioned" : "plain", key);
            history.check(look, value, ofVersioned);
        }

        private void scan(RangedStore store) {
            boolean ofVersioned = random.nextBoolean();
            History history = ofVersioned ? versioned : plain;
            Direction direction = random.nextBoolean() ? Direction.FORWARD : Direction.REVERSE;
            byte[] from = key();
            KeyRange range = new KeyRange(from, new byte[] {(byte) (from[0] + 6)});
            Map<Bytes, History.Look> looks = new HashMap<>();
            for (int at = 0; at < KEYS; at++) {
                byte[] key = {(byte) at};
                if (range.contains(key)) {
                    looks.put(Bytes.of(key), history.look(Bytes.of(key)));
                }
            }
            Map<Bytes, byte[]> found = new HashMap<>();
            byte[] last = null;
            try (Scan scan =
                    store.scan(
                            ofVersioned ? "versioned" : "plain",
                            range,
                            direction,
                            Integer.MAX_VALUE)) {
                while (scan.next()) {
                    if (last != null) {
                        int order = Bytes.compare(last, scan.key());
                        assertThat(direction == Direction.FORWARD ? order < 0 : order > 0)
                                .as("rows come in order, each once")
                                .isTrue();
                    }
                    last = scan.key();
                    found.put(Bytes.of(scan.key()), scan.value());
                }
            }
            assertThat(looks.keySet()).containsAll(found.keySet());
            looks.forEach((key, look) -> history.check(look, found.get(key), ofVersioned));
        }

        /** Reads through a process with an empty cache, after all delayed changes. */
        private void checkAll(RangedStore store) {
            for (int at = 0; at < KEYS; at++) {
                byte[] key = {(byte) at};
                History.Look one = versioned.look(Bytes.of(key));
                versioned.check(one, store.get("versioned", key), true);
                History.Look other = plain.look(Bytes.of(key));
                plain.check(other, store.get("plain", key), false);
            }
        }

        private static byte[] text(long number) {
            return Long.toString(number).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        }
    }
}
