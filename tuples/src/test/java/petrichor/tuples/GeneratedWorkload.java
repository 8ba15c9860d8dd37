package petrichor.tuples;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.placement.advisor.Estimate;
import petrichor.placement.advisor.EvenRanges;
import petrichor.placement.advisor.OperationKind;
import petrichor.placement.advisor.Usage;
import petrichor.transactions.Row;
import petrichor.transactions.RowCursor;
import petrichor.transactions.RowReader;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;
import petrichor.tuples.TupleStore.Paging;

/** Tuples of users in communities, and a random mix of operations on them. */
final class GeneratedWorkload {
    private static final int USERS = 100;
    private static final int COMMUNITY = 10;
    private static final int TUPLES_PER_USER = 8;
    private static final int FRIENDS = 8;

    private final SplittableRandom random;
    private final double[] mix;

    /** Tuples of the collection, before operations write others. */
    private final TreeMap<String, TupleWrite.Put> tuples = new TreeMap<>();

    private final List<Step> steps = new ArrayList<>();
    private final List<Integer> order = new ArrayList<>();

    /** One operation. */
    private sealed interface Step {
        record Get(List<String> keys) implements Step {}

        record Range(String prefix) implements Step {}

        record Find(TagFilter filter) implements Step {}

        record Write(TupleWrite.Put put) implements Step {}
    }

    private GeneratedWorkload(long seed, int operations, double... mix) {
        this.random = new SplittableRandom(seed);
        this.mix = mix.clone();
        for (int user = 0; user < USERS; user++) {
            order.add(random.nextInt(user + 1), user);
        }
        for (int user = 0; user < USERS; user++) {
            for (int k = 0; k < TUPLES_PER_USER; k++) {
                String key = name(user) + "/" + k;
                tuples.put(key, put("", key));
            }
        }
        for (int k = 0; k < operations; k++) {
            steps.add(step(k));
        }
    }

    /** A mix that one or two kinds of operations dominate. */
    static GeneratedWorkload of(long seed, int operations) {
        SplittableRandom random = new SplittableRandom(~seed);
        double[] mix = new double[5];
        for (int k = 0; k < mix.length; k++) {
            mix[k] = 0.02 + Math.pow(random.nextDouble(), 3);
        }
        return new GeneratedWorkload(seed, operations, mix);
    }

    static GeneratedWorkload ofFriends(long seed) {
        return new GeneratedWorkload(seed, 500, 0.9, 0, 0, 0, 0.1);
    }

    private static String name(int user) {
        return "u%04d".formatted(user);
    }

    private TupleWrite.Put put(String collection, String key) {
        TreeSet<Tag> tags = new TreeSet<>();
        tags.add(new Tag("day", "%02d".formatted(random.nextInt(60))));
        tags.add(new Tag("place", "%02d".formatted(random.nextInt(60))));
        return new TupleWrite.Put(
                collection, key, "v".repeat(80).getBytes(UTF_8), tags, TupleWrite.Condition.NONE);
    }

    private Step step(int number) {
        double sum = 0;
        for (double share : mix) {
            sum += share;
        }
        double drawn = random.nextDouble() * sum;
        int kind = 0;
        while (kind + 1 < mix.length && drawn >= mix[kind]) {
            drawn -= mix[kind++];
        }
        return switch (kind) {
            case 0 -> friends();
            case 1 -> new Step.Range(name(random.nextInt(USERS)) + "/");
            case 2 ->
                    new Step.Find(
                            new TagFilter(
                                    List.of(
                                            new TagCondition.Is(
                                                    "day", "%02d".formatted(random.nextInt(60)))),
                                    List.of()));
            case 3 ->
                    new Step.Find(
                            new TagFilter(List.of(between("day"), between("place")), List.of()));
            default -> new Step.Write(put("", name(random.nextInt(USERS)) + "/new" + number));
        };
    }

    private TagCondition between(String dimension) {
        int first = random.nextInt(50);
        return new TagCondition.Between(
                dimension, "%02d".formatted(first), "%02d".formatted(first + 8));
    }

    private Step friends() {
        int community = random.nextInt(USERS / COMMUNITY);
        List<String> keys = new ArrayList<>();
        for (int k = 0; k < FRIENDS; k++) {
            int friend = order.get(community * COMMUNITY + random.nextInt(COMMUNITY));
            String key = name(friend) + "/" + random.nextInt(TUPLES_PER_USER);
            if (!keys.contains(key)) {
                keys.add(key);
            }
        }
        return new Step.Get(keys);
    }

    /** The group of each user, as one knows it who knows the communities. */
    Map<String, Integer> groups(TuplePlacement placement) {
        Map<String, Integer> groups = new TreeMap<>();
        if (placement instanceof TuplePlacement.Affinity affinity) {
            int communities = USERS / COMMUNITY;
            for (int at = 0; at < order.size(); at++) {
                groups.put(name(order.get(at)), at / COMMUNITY * affinity.groups() / communities);
            }
        }
        return groups;
    }

    void load(TupleStore store, String collection) {
        List<TupleWrite> writes = new ArrayList<>();
        tuples.values().forEach(put -> writes.add(in(collection, put)));
        for (int at = 0; at < writes.size(); at += TupleLimits.BATCH_TUPLES_MAX) {
            int end = Math.min(writes.size(), at + TupleLimits.BATCH_TUPLES_MAX);
            var _ = store.write(writes.subList(at, end), false);
        }
    }

    private static TupleWrite in(String collection, TupleWrite.Put put) {
        return new TupleWrite.Put(
                collection, put.key(), put.value(), put.tags(), TupleWrite.Condition.NONE);
    }

    void run(TupleStore store, String collection) {
        for (Step step : steps) {
            switch (step) {
                case Step.Get get -> {
                    var _ = store.get(collection, get.keys(), 0);
                }
                case Step.Range range -> {
                    var _ =
                            store.range(
                                    collection,
                                    KeySpan.ofPrefix(range.prefix()),
                                    Paging.of(0, 0, ""));
                }
                case Step.Find find -> {
                    var _ = store.find(collection, find.filter(), Paging.of(0, 0, ""));
                }
                case Step.Write write -> {
                    var _ = store.write(List.of(in(collection, write.put())), false);
                }
            }
        }
    }

    /** What the operations read and write in the store. */
    Estimate truth(TupleStore store, String collection, int nodes) {
        TupleCatalog catalog = new TupleCatalog();
        try (Snapshot snapshot = store.database().snapshot()) {
            TupleLayout layout = catalog.read(snapshot, collection).layout();
            TreeMap<Bytes, Long> rows = new TreeMap<>();
            for (KeyRange range :
                    List.of(
                            TupleRows.keys(layout.id()),
                            TupleRows.tuples(layout),
                            TupleRows.tags(layout.id()))) {
                try (RowCursor cursor = snapshot.scan(range, Direction.FORWARD)) {
                    while (cursor.next()) {
                        rows.put(
                                Bytes.of(cursor.key()),
                                (long) cursor.key().length + cursor.value().length);
                    }
                }
            }
            Usage usage =
                    new Usage(
                            EvenRanges.of(
                                    rows.keySet().stream().map(Bytes::array).toList(),
                                    rows.values().stream().mapToLong(bytes -> bytes).toArray(),
                                    nodes));
            Counted counted = new Counted(snapshot, usage);
            KnownPlaces known = new KnownPlaces();
            for (Step step : steps) {
                if (step instanceof Step.Get(List<String> keys)) {
                    var _ = Places.read(snapshot, layout, keys, known); // as after a while
                }
            }
            for (Step step : steps) {
                usage.begin();
                usage.end(one(counted, layout, known, step, catalog, collection));
            }
            return usage.estimate();
        }
    }

    private static OperationKind one(
            Counted reader,
            TupleLayout layout,
            KnownPlaces known,
            Step step,
            TupleCatalog catalog,
            String collection) {
        PageSize size = PageSize.of(0);
        return switch (step) {
            case Step.Get get -> {
                var _ = Places.read(reader, layout, get.keys(), known);
                yield OperationKind.GET;
            }
            case Step.Range range -> {
                KeySpan span = KeySpan.ofPrefix(range.prefix());
                AccessPath path = AccessPath.ofKeys(layout, span);
                if (layout.placement() instanceof TuplePlacement.Hashed(int buckets)) {
                    var _ = BucketMerge.page(reader, layout, buckets, span, size);
                } else if (path != null) {
                    var _ = TupleReads.page(reader, layout, path, TagFilter.EVERYTHING, null, size);
                }
                yield OperationKind.RANGE;
            }
            case Step.Find find -> {
                AccessPath path = AccessPath.of(layout, find.filter());
                var _ = TupleReads.page(reader, layout, path, find.filter(), null, size);
                yield OperationKind.FIND;
            }
            case Step.Write write -> {
                TupleEdits edits = new TupleEdits(reader);
                TupleWrite.Put put = write.put();
                TupleWrite.Put other =
                        new TupleWrite.Put(
                                collection,
                                put.key() + "-again",
                                put.value(),
                                put.tags(),
                                TupleWrite.Condition.NONE);
                var _ = new TupleWriter(catalog).write(edits, List.of(other), false);
                reader.usage.round();
                for (RowWrite row : edits.request().writes()) {
                    byte[] value = row.value();
                    reader.usage.write(
                            row.key(), row.key().length + (value == null ? 0 : value.length));
                }
                yield OperationKind.WRITE;
            }
        };
    }

    @Override
    public String toString() {
        return java.util.Arrays.toString(mix);
    }

    /** Counts what is read of tuples; reads of the catalog, which servers keep, do not count. */
    private record Counted(RowReader reader, Usage usage) implements RowReader {
        private static final int KIND = 1;

        private static boolean counts(byte[] key) {
            return "RKTA".indexOf(key[KIND]) >= 0;
        }

        @Override
        public long version() {
            return reader.version();
        }

        @Override
        public @Nullable Row get(byte[] key) {
            return get(List.of(key)).getFirst();
        }

        @Override
        public List<@Nullable Row> get(List<byte[]> keys) {
            usage.round();
            List<@Nullable Row> rows = reader.get(keys);
            for (int k = 0; k < keys.size(); k++) {
                if (counts(keys.get(k))) {
                    usage.ask(keys.get(k));
                    Row row = rows.get(k);
                    if (row != null) {
                        usage.read(row.key().length + row.value().length);
                    }
                }
            }
            return rows;
        }

        @Override
        public RowCursor scan(KeyRange range, Direction direction) {
            usage.round();
            usage.ask(range.from());
            RowCursor cursor = reader.scan(range, direction);
            return new RowCursor() {
                @Override
                public boolean next() {
                    boolean there = cursor.next();
                    if (there) {
                        usage.ask(cursor.key());
                        usage.read(cursor.key().length + cursor.value().length);
                    }
                    return there;
                }

                @Override
                public byte[] key() {
                    return cursor.key();
                }

                @Override
                public long version() {
                    return cursor.version();
                }

                @Override
                public byte[] value() {
                    return cursor.value();
                }

                @Override
                public void close() {
                    cursor.close();
                }
            };
        }
    }
}
