package petrichor.workflows;

import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.Entity;
import com.google.cloud.datastore.EntityQuery;
import com.google.cloud.datastore.Key;
import com.google.cloud.datastore.KeyQuery;
import com.google.cloud.datastore.Query;
import com.google.cloud.datastore.QueryResults;
import com.google.cloud.datastore.StructuredQuery.CompositeFilter;
import com.google.cloud.datastore.StructuredQuery.Filter;
import com.google.cloud.datastore.StructuredQuery.OrderBy;
import com.google.cloud.datastore.StructuredQuery.PropertyFilter;
import com.google.cloud.datastore.StructuredQuery;
import com.google.gson.JsonElement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Entities in the order of their keys. A split is a range of keys: after the first, up to the last. */
record EntitySource(Datastore datastore, String kind, String namespace) implements SourceReader {
    private static final String KEY = "__key__";
    private static final int KEYS_PER_TURN = 20_000;
    private static final int SAMPLES_PER_SHARD = 16;

    /** Each {@code stride}-th key that was seen; the stride doubles when the sample grows too large. */
    private record Sampling(Key last, long seen, long stride, List<Key> sample) {}

    private record Range(Key after, Key last) {}

    @Override
    public Splits splits(int shards, Optional<JsonElement> progress) {
        Sampling before =
                progress.map(stored -> Values.<Sampling>decode(stored, Sampling.class))
                        .orElseGet(() -> new Sampling(null, 0, 1, List.of()));
        KeyQuery.Builder query = Query.newKeyQueryBuilder();
        restrict(query, before.last(), null);
        QueryResults<Key> keys = datastore.run(query.setLimit(KEYS_PER_TURN).build());
        List<Key> sample = new ArrayList<>(before.sample());
        Key last = before.last();
        long seen = before.seen();
        long stride = before.stride();
        while (keys.hasNext()) {
            last = keys.next();
            seen++;
            if (seen % stride == 0) {
                sample.add(last);
                if (sample.size() >= SAMPLES_PER_SHARD * shards) {
                    sample = everySecond(sample);
                    stride *= 2;
                }
            }
        }
        if (seen - before.seen() == KEYS_PER_TURN) {
            return new Splits(Optional.empty(), Optional.of(Values.encode(new Sampling(last, seen, stride, sample))));
        }
        return Splits.of(ranges(sample, shards));
    }

    private static List<Key> everySecond(List<Key> sample) {
        List<Key> kept = new ArrayList<>();
        for (int i = 1; i < sample.size(); i += 2) {
            kept.add(sample.get(i));
        }
        return kept;
    }

    private static List<JsonElement> ranges(List<Key> sample, int shards) {
        List<Key> bounds = new ArrayList<>();
        for (int number = 1; number < shards && !sample.isEmpty(); number++) {
            Key bound = sample.get(sample.size() * number / shards);
            if (!bounds.contains(bound)) {
                bounds.add(bound);
            }
        }
        List<JsonElement> ranges = new ArrayList<>();
        for (int number = 0; number <= bounds.size(); number++) {
            Key after = number == 0 ? null : bounds.get(number - 1);
            Key last = number == bounds.size() ? null : bounds.get(number);
            ranges.add(Values.encode(new Range(after, last)));
        }
        return ranges;
    }

    private void restrict(StructuredQuery.Builder<?> query, Key after, Key last) {
        query.setKind(kind).setOrderBy(OrderBy.asc(KEY));
        if (!namespace.isEmpty()) {
            query.setNamespace(namespace);
        }
        Filter[] filters =
                Stream.of(
                                after == null ? null : PropertyFilter.gt(KEY, after),
                                last == null ? null : PropertyFilter.le(KEY, last))
                        .filter(java.util.Objects::nonNull)
                        .toArray(Filter[]::new);
        if (filters.length == 1) {
            query.setFilter(filters[0]);
        } else if (filters.length > 1) {
            query.setFilter(CompositeFilter.and(filters[0], Arrays.copyOfRange(filters, 1, filters.length)));
        }
    }

    @Override
    public boolean read(JsonElement split, Optional<JsonElement> position, Visitor visitor) throws Exception {
        Range range = Values.decode(split, Range.class);
        Key after = position.map(stored -> Values.<Key>decode(stored, Key.class)).orElse(range.after());
        EntityQuery.Builder query = Query.newEntityQueryBuilder();
        restrict(query, after, range.last());
        QueryResults<Entity> entities = datastore.run(query.build());
        while (entities.hasNext()) {
            Entity entity = entities.next();
            if (!visitor.visit(entity, Values.encode(entity.getKey()))) {
                return false;
            }
        }
        return true;
    }
}
