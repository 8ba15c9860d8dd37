package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.transactions.databases.Rows.bytes;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.scan;
import static petrichor.transactions.databases.Rows.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.Branch;
import petrichor.transactions.CommitRequest;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/**
 * Random commits, branches of any version and depth, drops, collections of garbage and restarts,
 * compared with a model that copies everything.
 */
class BranchModelTest {
    private static final int STEPS = 250;
    private static final int KEYS = 24;
    private static final int DATABASES_MAX = 7;
    private static final long MINUTE_MICROS = 60_000_000;
    private static final long RETENTION_MICROS = 60 * MINUTE_MICROS;

    /** A database in the model: all its rows after each commit. */
    private static final class Copy {
        final NavigableMap<Long, Map<String, String>> states = new TreeMap<>();
        final @Nullable String parent;
        final long begin;

        Copy(@Nullable String parent, long begin) {
            this.parent = parent;
            this.begin = begin;
            states.put(0L, Map.of());
        }

        Map<String, String> at(long version) {
            return states.floorEntry(version).getValue();
        }
    }

    private final Map<String, Copy> model = new TreeMap<>();
    private int names;

    @ParameterizedTest
    @EnumSource
    void branchesAreLikeCopies(TestStore kind) {
        compareSeeds(kind, 0, 2);
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource
    void branchesAreLikeCopiesForManySeeds(TestStore kind) {
        compareSeeds(kind, 2, 20);
    }

    private void compareSeeds(TestStore kind, int first, int end) {
        for (int seed = first; seed < end; seed++) {
            model.clear();
            names = 0;
            try (TestBench bench = TestBench.open(kind)) {
                run(bench, new SplittableRandom(seed));
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("seed " + seed + ": " + failed.getMessage(), failed);
            }
        }
    }

    private void run(TestBench bench, SplittableRandom random) {
        model.put(bench.database().name(), new Copy(null, 0));
        bench.time().advanceMicros(100 * RETENTION_MICROS);
        for (int step = 0; step < STEPS; step++) {
            String name = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
            bench.time().advanceMicros(1 + random.nextLong(MINUTE_MICROS));
            switch (random.nextInt(12)) {
                case 0 -> branch(bench, name, random);
                case 1 -> drop(bench, name);
                case 2 -> {
                    bench.time().advanceMicros(random.nextLong(RETENTION_MICROS));
                    bench.databases().tidy();
                }
                case 3 -> {
                    if (random.nextInt(4) == 0) {
                        bench.reopen();
                    }
                }
                case 4, 5 -> compare(bench, name, version(bench, random), random);
                case 6 -> compare(bench, name, Long.MAX_VALUE, random);
                default -> commit(bench, name, random);
            }
        }
        for (String name : model.keySet()) {
            compare(bench, name, Long.MAX_VALUE, random);
        }
    }

    private Copy copyOf(String name) {
        return Objects.requireNonNull(model.get(name));
    }

    private static long version(TestBench bench, SplittableRandom random) {
        return bench.time().epochMicros() - random.nextLong(RETENTION_MICROS);
    }

    private void commit(TestBench bench, String name, SplittableRandom random) {
        RowDatabase database = bench.databases().open(name);
        Copy copy = copyOf(name);
        Map<String, String> after = new TreeMap<>(copy.states.lastEntry().getValue());
        List<RowWrite> writes = new ArrayList<>();
        try (Snapshot snapshot = database.snapshot()) {
            int first = random.nextInt(KEYS);
            for (int i = 0; i <= random.nextInt(4); i++) {
                String key = "k" + (char) ('a' + (first + i) % KEYS);
                String value = random.nextInt(3) == 0 ? null : "v" + random.nextInt(1_000);
                writes.add(Rows.write(snapshot, key, value));
                if (value == null) {
                    after.remove(key);
                } else {
                    after.put(key, value);
                }
            }
            long version =
                    committed(
                            database.commit(
                                    new CommitRequest(
                                            snapshot.version(),
                                            List.of(),
                                            List.of(),
                                            writes.stream().map(RowWrite::key).toList(),
                                            writes)));
            copy.states.put(version, after);
        }
    }

    private void branch(TestBench bench, String parent, SplittableRandom random) {
        if (model.size() == DATABASES_MAX) {
            return;
        }
        OptionalLong at =
                random.nextBoolean()
                        ? OptionalLong.empty()
                        : OptionalLong.of(version(bench, random));
        String name = "branch-" + names++;
        Branch made;
        long begin = copyOf(parent).begin;
        if (at.isPresent() && at.getAsLong() < begin) {
            assertThatThrownBy(() -> bench.databases().branch(name, parent, at))
                    .hasMessageContaining("branch its parent");
            return;
        }
        try {
            made = bench.databases().branch(name, parent, at);
        } catch (PetrichorException refused) {
            assertThat(refused).hasMessageContaining("maximum");
            return;
        }
        Copy copy = new Copy(parent, made.version());
        copy.states.putAll(copyOf(parent).states.headMap(made.version(), true));
        model.put(name, copy);
        compare(bench, name, Long.MAX_VALUE, random);
    }

    private void drop(TestBench bench, String name) {
        if (model.values().stream().anyMatch(copy -> name.equals(copy.parent))) {
            assertThatThrownBy(() -> bench.databases().drop(name))
                    .hasMessageContaining("Drop them first");
        } else if (!name.equals("test")) {
            bench.databases().drop(name);
            model.remove(name);
        }
    }

    private void compare(TestBench bench, String name, long version, SplittableRandom random) {
        RowDatabase database = bench.databases().open(name);
        Map<String, String> expected = copyOf(name).at(version);
        String from = "k" + (char) ('a' + random.nextInt(KEYS));
        KeyRange range =
                random.nextBoolean() ? KeyRange.ALL : new KeyRange(bytes(from), bytes("kz"));
        List<String> rows =
                expected.entrySet().stream()
                        .filter(row -> range.contains(bytes(row.getKey())))
                        .map(row -> row.getKey() + "=" + row.getValue())
                        .toList();
        try (Snapshot snapshot =
                version == Long.MAX_VALUE ? database.snapshot() : database.snapshotAt(version)) {
            assertThat(scan(snapshot, range, Direction.FORWARD)).as(name).isEqualTo(rows);
            assertThat(scan(snapshot, range, Direction.REVERSE))
                    .as(name)
                    .isEqualTo(rows.reversed());
            List<byte[]> keys = new ArrayList<>();
            List<@Nullable String> values = new ArrayList<>();
            for (int i = 0; i < KEYS; i++) {
                String key = "k" + (char) ('a' + i);
                keys.add(bytes(key));
                values.add(expected.get(key));
                if (random.nextInt(4) == 0) {
                    assertThat(text(snapshot.get(bytes(key)))).isEqualTo(expected.get(key));
                }
            }
            assertThat(snapshot.get(keys).stream().map(Rows::text).toList())
                    .as(name)
                    .isEqualTo(values);
        }
    }
}
