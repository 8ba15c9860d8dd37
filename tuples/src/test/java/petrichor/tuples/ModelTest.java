package petrichor.tuples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksOptions;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.RowCursor;
import petrichor.transactions.Snapshot;
import petrichor.transactions.databases.RowDatabases;

/**
 * Random operations on a collection and on a map in memory have the same results, for every
 * placement, while placements change; afterwards the store holds the rows of the tuples, and no
 * others.
 */
final class ModelTest {
    private static final int OPERATIONS = 300;

    private static final Comparator<String> BY_BYTES =
            (one, other) -> Bytes.compare(one.getBytes(UTF_8), other.getBytes(UTF_8));

    private static final List<TuplePlacement> PLACEMENTS =
            List.of(
                    new TuplePlacement.Hashed(5),
                    new TuplePlacement.Ordered(),
                    new TuplePlacement.Tagged(List.of("colour", "size"), 3),
                    new TuplePlacement.Tagged(List.of("colour", "size", "shape", "x.y"), 8),
                    new TuplePlacement.Affinity("/", 7),
                    new TuplePlacement.Colocated("hosts", "/"));

    @TempDir private Path folder;

    enum Kind {
        MEMORY,
        ROCKSDB;

        KeyValueStore open(Path folder) {
            return switch (this) {
                case MEMORY -> MemoryStore.open();
                case ROCKSDB -> RocksStore.open(folder, RocksOptions.DEFAULT);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void theStoreBehavesLikeAMap(Kind kind) {
        run(kind, 1, 1);
    }

    @org.junit.jupiter.api.Tag("slow")
    @ParameterizedTest
    @EnumSource
    void theStoreBehavesLikeAMapForLong(Kind kind) {
        run(kind, 2, 12);
    }

    private void run(Kind kind, int first, int last) {
        for (int seed = first; seed <= last; seed++) {
            for (int placement = 0; placement < PLACEMENTS.size(); placement++) {
                Path data = folder.resolve(seed + "-" + placement);
                try (KeyValueStore store = kind.open(data);
                        RowDatabases databases = new RowDatabases(store)) {
                    new Run(databases, seed * 31L + placement, placement).run();
                }
            }
        }
    }

    /** One sequence of operations. */
    private static final class Run {
        private final Random random;
        private final RowDatabases databases;
        private TupleStore tuples;
        private final TreeMap<String, Tuple> model = new TreeMap<>(BY_BYTES);
        private final TreeMap<String, Tuple> hosts = new TreeMap<>(BY_BYTES);

        Run(RowDatabases databases, long seed, int placement) {
            this.random = new Random(seed);
            this.databases = databases;
            this.tuples = new TupleStore(databases.open("p"), random);
            TuplePlacement host =
                    random.nextBoolean()
                            ? PLACEMENTS.get(random.nextInt(2))
                            : new TuplePlacement.Affinity("-", 3);
            var _ = tuples.create("hosts", host, true);
            var _ = tuples.create("c", PLACEMENTS.get(placement), random.nextInt(4) > 0);
        }

        void run() {
            for (int i = 0; i < OPERATIONS; i++) {
                switch (random.nextInt(16)) {
                    case 0, 1, 2, 3, 4 -> put();
                    case 5 -> delete();
                    case 6 -> batch();
                    case 7 -> get();
                    case 8 -> range();
                    case 9, 10 -> find();
                    case 11 -> deleteByTags();
                    case 12 -> putHost();
                    case 13 -> assign();
                    case 14 -> {
                        if (random.nextInt(4) == 0) {
                            change();
                        }
                    }
                    case 15 -> {
                        // As another process that continues the work of this one.
                        tuples = new TupleStore(databases.open("p"), random);
                        var _ = tuples.work();
                    }
                }
                if (random.nextInt(50) == 0) {
                    finish();
                }
            }
            finish();
        }

        private void finish() {
            while (tuples.work()) {
                // The next step.
            }
            checkRows();
        }

        private String key() {
            String owner = List.of("a", "b", "ab", "a\0", "ü", "z").get(random.nextInt(6));
            return random.nextInt(5) == 0 ? owner : owner + "/" + random.nextInt(12);
        }

        private String value(int dimension) {
            return "v" + "abcdefgh".charAt(random.nextInt(8)) + (dimension == 0 ? "*" : "x");
        }

        private SortedSet<Tag> tags() {
            SortedSet<Tag> tags = new TreeSet<>();
            List<String> single = List.of("colour", "size", "shape", "x.y");
            for (int k = 0; k < single.size(); k++) {
                if (random.nextInt(3) > 0) {
                    tags.add(new Tag(single.get(k), value(k)));
                }
            }
            for (int k = random.nextInt(4); k > 0; k--) {
                tags.add(new Tag(random.nextBoolean() ? "many" : "", value(1)));
            }
            return tags;
        }

        private TupleWrite.Condition condition(String key) {
            Tuple old = model.get(key);
            return switch (random.nextInt(8)) {
                case 0 -> new TupleWrite.Condition.Absent();
                case 1 -> new TupleWrite.Condition.Present();
                case 2 -> new TupleWrite.Condition.AtRevision(old == null ? 5 : old.revision());
                case 3 -> new TupleWrite.Condition.AtRevision(7);
                default -> TupleWrite.Condition.NONE;
            };
        }

        private static boolean isMet(TupleWrite.Condition condition, @Nullable Tuple old) {
            return switch (condition) {
                case TupleWrite.Condition.Any _ -> true;
                case TupleWrite.Condition.Absent _ -> old == null;
                case TupleWrite.Condition.Present _ -> old != null;
                case TupleWrite.Condition.AtRevision at ->
                        old != null && old.revision() == at.revision();
            };
        }

        private TupleWrite write() {
            String key = key();
            if (random.nextInt(4) == 0) {
                return new TupleWrite.Delete("c", key, condition(key));
            }
            byte[] value = ("value " + random.nextInt()).getBytes(UTF_8);
            return new TupleWrite.Put("c", key, value, tags(), condition(key));
        }

        private void put() {
            apply(List.of(write()), true);
        }

        private void delete() {
            apply(List.of(new TupleWrite.Delete("c", key(), TupleWrite.Condition.NONE)), true);
        }

        private void batch() {
            TreeMap<String, TupleWrite> writes = new TreeMap<>();
            for (int k = 0; k < 6; k++) {
                TupleWrite write = write();
                writes.put(write.key(), write);
            }
            apply(List.copyOf(writes.values()), random.nextBoolean());
        }

        private void apply(List<TupleWrite> writes, boolean atomic) {
            boolean all = writes.stream().allMatch(w -> isMet(w.condition(), model.get(w.key())));
            WriteResult.Batch result = tuples.write(writes, atomic);
            assertThat(result.applied()).isEqualTo(all || !atomic);
            for (int i = 0; i < writes.size(); i++) {
                TupleWrite write = writes.get(i);
                Tuple old = model.get(write.key());
                boolean met = isMet(write.condition(), old);
                switch (result.results().get(i)) {
                    case WriteResult.Stored(long revision, boolean created) -> {
                        assertThat(met).isTrue();
                        assertThat(created).isEqualTo(old == null);
                        TupleWrite.Put put = (TupleWrite.Put) write;
                        model.put(
                                put.key(), new Tuple(put.key(), put.value(), put.tags(), revision));
                    }
                    case WriteResult.Deleted(boolean existed) -> {
                        assertThat(met).isTrue();
                        assertThat(existed).isEqualTo(model.remove(write.key()) != null);
                    }
                    case WriteResult.Refused(long revision) -> {
                        assertThat(met).isFalse();
                        assertThat(revision).isEqualTo(old == null ? 0 : old.revision());
                    }
                    case WriteResult.NotAttempted() -> assertThat(atomic && !all).isTrue();
                }
            }
        }

        private void putHost() {
            String key = key();
            TupleWrite put =
                    new TupleWrite.Put(
                            "hosts", key, new byte[] {1}, tags(), TupleWrite.Condition.NONE);
            WriteResult.Stored stored =
                    (WriteResult.Stored) tuples.write(List.of(put), true).results().getFirst();
            hosts.put(
                    key,
                    new Tuple(
                            key, new byte[] {1}, ((TupleWrite.Put) put).tags(), stored.revision()));
        }

        private void get() {
            Set<String> keys = new HashSet<>();
            for (int k = 0; k < 30; k++) {
                keys.add(key());
            }
            List<String> asked = List.copyOf(keys);
            assertThat(tuples.get("c", asked, 0).tuples())
                    .containsExactlyElementsOf(
                            asked.stream().filter(model::containsKey).map(model::get).toList());
        }

        private void range() {
            String from = random.nextInt(4) == 0 ? "" : key();
            String to = random.nextInt(4) == 0 ? "" : key();
            KeySpan span = random.nextBoolean() ? KeySpan.of(from, to) : KeySpan.ofPrefix(from);
            List<Tuple> expected =
                    model.values().stream()
                            .filter(
                                    t -> {
                                        byte[] key = t.key().getBytes(UTF_8);
                                        byte[] end = span.to();
                                        return Bytes.compare(key, span.from()) >= 0
                                                && (end == null || Bytes.compare(key, end) < 0);
                                    })
                            .toList();
            assertThat(pages(paging -> tuples.range("c", span, paging)))
                    .containsExactlyElementsOf(expected);
        }

        private List<Tuple> pages(
                java.util.function.Function<TupleStore.Paging, TuplePage> pageOf) {
            List<Tuple> all = new ArrayList<>();
            int size = 1 + random.nextInt(7);
            TuplePage page = pageOf.apply(new TupleStore.Paging.First(size, 0));
            all.addAll(page.tuples());
            while (page.continuation().isPresent()) {
                if (random.nextInt(5) == 0) {
                    // A later page reads the version of the first one.
                    putUnlikeAnyOther();
                }
                page =
                        pageOf.apply(
                                new TupleStore.Paging.Next(
                                        size, page.continuation().orElseThrow()));
                all.addAll(page.tuples());
            }
            return all;
        }

        private void putUnlikeAnyOther() {
            String key = "extra/" + random.nextInt();
            apply(
                    List.of(
                            new TupleWrite.Put(
                                    "c", key, new byte[0], tags(), TupleWrite.Condition.NONE)),
                    true);
        }

        private TagCondition condition() {
            int dimension = random.nextInt(6);
            String name = List.of("colour", "size", "shape", "x.y", "many", "").get(dimension);
            String one = value(dimension);
            String other = value(dimension);
            return switch (random.nextInt(4)) {
                case 0, 1 -> new TagCondition.Is(name, one);
                case 2 ->
                        new TagCondition.Like(
                                name,
                                List.of("*", "v*", one.substring(0, 2) + "*", "*x", "*c*", "v?")
                                        .get(random.nextInt(6)));
                default ->
                        one.compareTo(other) <= 0
                                ? new TagCondition.Between(name, one, other)
                                : new TagCondition.Between(name, other, one);
            };
        }

        private TagFilter filter() {
            List<TagCondition> all = new ArrayList<>();
            List<TagCondition> any = new ArrayList<>();
            for (int k = random.nextInt(3); k > 0; k--) {
                all.add(condition());
            }
            for (int k = random.nextInt(3); k > 0; k--) {
                any.add(condition());
            }
            return new TagFilter(all, any);
        }

        private static Predicate<Tuple> meets(TagCondition condition) {
            return tuple ->
                    tuple.tags().stream()
                            .anyMatch(
                                    tag ->
                                            tag.dimension().equals(condition.dimension())
                                                    && condition.meets(tag.value()));
        }

        private List<Tuple> selected(TagFilter filter) {
            return model.values().stream()
                    .filter(t -> filter.all().stream().allMatch(c -> meets(c).test(t)))
                    .filter(
                            t ->
                                    filter.any().isEmpty()
                                            || filter.any().stream()
                                                    .anyMatch(c -> meets(c).test(t)))
                    .toList();
        }

        private void find() {
            TagFilter filter = filter();
            List<Tuple> expected = selected(filter);
            assertThat(pages(paging -> tuples.find("c", filter, paging)))
                    .as(filter.toString())
                    .containsExactlyInAnyOrderElementsOf(expected);
        }

        private void deleteByTags() {
            if (random.nextInt(3) > 0) {
                return;
            }
            TagFilter filter = filter();
            int expected = selected(filter).size();
            Optional<String> continuation = Optional.of("");
            int deleted = 0;
            while (continuation.isPresent()) {
                TupleStore.Deletions part = tuples.delete("c", filter, continuation.orElseThrow());
                deleted += part.deleted();
                continuation = part.continuation();
            }
            assertThat(deleted).isEqualTo(expected);
            selected(filter).forEach(tuple -> model.remove(tuple.key()));
        }

        private void assign() {
            tuples.assign(
                    random.nextBoolean() ? "c" : "hosts",
                    Map.of("a", random.nextInt(9), "ü", random.nextInt(9)));
        }

        private void change() {
            if (tuples.collection("c").change().isPresent()) {
                if (random.nextInt(3) == 0) {
                    assertThat(tuples.cancelChange("c")).isTrue();
                }
                return;
            }
            var _ = tuples.changePlacement("c", PLACEMENTS.get(random.nextInt(PLACEMENTS.size())));
        }

        /** Every row belongs to a tuple of the model, and every tuple has all its rows. */
        private void checkRows() {
            Set<Bytes> expected = new HashSet<>();
            try (Snapshot snapshot = databases.open("p").snapshot()) {
                TupleCatalog catalog = new TupleCatalog();
                for (String name : List.of("c", "hosts")) {
                    TupleCollection collection = catalog.read(snapshot, name);
                    assertThat(collection.next()).isNull();
                    TupleLayout layout = collection.layout();
                    for (Tuple tuple : (name.equals("c") ? model : hosts).values()) {
                        byte[] prefix =
                                Places.find(snapshot, List.of(new Places.Ask(layout, tuple.key())))
                                        .getFirst()
                                        .prefix();
                        if (prefix == null) {
                            throw new AssertionError(tuple.key() + " is missing");
                        }
                        for (TupleRows.TupleRow row : TupleRows.rows(layout, tuple, prefix)) {
                            expected.add(Bytes.of(row.key()));
                        }
                    }
                }
                Set<Bytes> rows = new HashSet<>();
                KeyRange all = KeyRange.ofPrefix(new byte[] {TupleRows.TYPE});
                try (RowCursor cursor = snapshot.scan(all, Direction.FORWARD)) {
                    while (cursor.next()) {
                        char kind = (char) cursor.key()[1];
                        assertThat("CLNARKT").contains(String.valueOf(kind));
                        if ("RKT".indexOf(kind) >= 0) {
                            rows.add(Bytes.of(cursor.key()));
                        }
                    }
                }
                assertThat(rows).isEqualTo(expected);
            }
        }
    }
}
