package petrichor.tuples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Writers and readers while another thread changes the placement again and again. */
final class ConcurrentTuplesTest {
    private static final int KEYS = 40;
    private static final int WRITERS = 3;
    private static final int INCREMENTS = 300;

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final TupleStore tuples = new TupleStore(databases.open("p"), new Random(1));

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private static String key(int number) {
        return "k" + number % 7 + "/" + number;
    }

    private static SortedSet<Tag> tags(Random random) {
        SortedSet<Tag> tags = new TreeSet<>();
        tags.add(new Tag("a", "v" + random.nextInt(5)));
        tags.add(new Tag("b", "v" + random.nextInt(5)));
        tags.add(new Tag("c", "all"));
        return tags;
    }

    private static int number(Tuple tuple) {
        return Integer.parseInt(new String(tuple.value(), UTF_8));
    }

    /** Adds one to a tuple, and changes its tags; retries if another writer was faster. */
    private void increment(String key, Random random) {
        while (true) {
            List<Tuple> found = tuples.get("c", List.of(key), 0).tuples();
            int before = found.isEmpty() ? 0 : number(found.getFirst());
            TupleWrite.Condition condition =
                    found.isEmpty()
                            ? new TupleWrite.Condition.Absent()
                            : new TupleWrite.Condition.AtRevision(found.getFirst().revision());
            TupleWrite put =
                    new TupleWrite.Put(
                            "c",
                            key,
                            String.valueOf(before + 1).getBytes(UTF_8),
                            tags(random),
                            condition);
            if (tuples.write(List.of(put), true).applied()) {
                return;
            }
        }
    }

    private List<Tuple> everything(long version) {
        List<Tuple> all = new ArrayList<>();
        TuplePage page =
                tuples.find("c", TagFilter.EVERYTHING, new TupleStore.Paging.First(7, version));
        all.addAll(page.tuples());
        while (page.continuation().isPresent()) {
            page =
                    tuples.find(
                            "c",
                            TagFilter.EVERYTHING,
                            new TupleStore.Paging.Next(7, page.continuation().orElseThrow()));
            all.addAll(page.tuples());
        }
        return all;
    }

    /** By key, by tag and by scan, a version has the same tuples. */
    private void check() {
        TagFilter tagged =
                new TagFilter(
                        List.of(new TagCondition.Like("a", "v*"), new TagCondition.Is("c", "all")),
                        List.of());
        TuplePage byTag = tuples.find("c", tagged, new TupleStore.Paging.First(1_000, 0));
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            keys.add(key(i));
        }
        Map<String, Tuple> byKey = new TreeMap<>();
        tuples.get("c", keys, byTag.version())
                .tuples()
                .forEach(tuple -> byKey.put(tuple.key(), tuple));
        assertThat(byTag.tuples()).containsExactlyInAnyOrderElementsOf(byKey.values());
        assertThat(everything(byTag.version())).containsExactlyInAnyOrderElementsOf(byKey.values());
        assertThat(
                        tuples.range(
                                        "c",
                                        KeySpan.ALL,
                                        new TupleStore.Paging.First(1_000, byTag.version()))
                                .tuples())
                .containsExactlyElementsOf(byKey.values());
    }

    @Test
    void noWriteIsLostAndEveryVersionIsConsistent()
            throws InterruptedException, ExecutionException {
        var _ = tuples.create("hosts", new TuplePlacement.Ordered(), true);
        var _ = tuples.create("c", new TuplePlacement.Hashed(4), true);
        AtomicIntegerArray expected = new AtomicIntegerArray(KEYS);
        AtomicBoolean writing = new AtomicBoolean(true);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> writers = new ArrayList<>();
            for (int w = 0; w < WRITERS; w++) {
                Random random = new Random(w);
                writers.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < INCREMENTS; i++) {
                                        int number = random.nextInt(KEYS);
                                        increment(key(number), random);
                                        var _ = expected.incrementAndGet(number);
                                    }
                                }));
            }
            Future<Integer> changes = threads.submit(() -> changePlacements(writing));
            Future<Integer> checks =
                    threads.submit(
                            () -> {
                                int done = 0;
                                while (writing.get()) {
                                    check();
                                    done++;
                                }
                                return done;
                            });
            for (Future<?> writer : writers) {
                var _ = writer.get();
            }
            writing.set(false);
            assertThat(changes.get()).isPositive();
            assertThat(checks.get()).isPositive();
        }
        check();
        List<Tuple> all = everything(0);
        for (int i = 0; i < KEYS; i++) {
            String key = key(i);
            int number =
                    all.stream()
                            .filter(tuple -> tuple.key().equals(key))
                            .mapToInt(ConcurrentTuplesTest::number)
                            .findFirst()
                            .orElse(0);
            assertThat(number).as(key).isEqualTo(expected.get(i));
        }
    }

    private int changePlacements(AtomicBoolean writing) {
        List<TuplePlacement> placements =
                List.of(
                        new TuplePlacement.Tagged(List.of("a", "b"), 2),
                        new TuplePlacement.Affinity("/", 3),
                        new TuplePlacement.Colocated("hosts", "/"),
                        new TuplePlacement.Ordered(),
                        new TuplePlacement.Hashed(3));
        int changes = 0;
        while (writing.get()) {
            var _ = tuples.changePlacement("c", placements.get(changes % placements.size()));
            while (tuples.work()) {
                // The next step.
            }
            assertThat(tuples.collection("c").failure()).isEmpty();
            changes++;
        }
        return changes;
    }
}
