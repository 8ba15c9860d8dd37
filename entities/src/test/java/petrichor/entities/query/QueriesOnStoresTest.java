package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.AggregationQuery.Aggregation;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Projection;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Int64Value;
import com.google.protobuf.NullValue;
import com.google.protobuf.TextFormat;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.Bytes;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityHit;
import petrichor.entities.IndexedValues;
import petrichor.entities.KeyCodec;
import petrichor.entities.KindPlacement;
import petrichor.entities.QueryResult;
import petrichor.entities.SortOrder;
import petrichor.entities.ValueCodec;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.databases.RowDatabases;
import petrichor.transactions.log.RoutedStores;

/**
 * The same entities and queries on a store in memory, on one on disk, in two stores at once, and in
 * a list that is searched linearly: all return the same results, as a whole, page by page, and
 * counted.
 */
class QueriesOnStoresTest {
    private static final String PROJECT = RandomQueries.PARTITION.getProjectId();
    private static final List<String> NAMESPACES = List.of("", "other");
    private static final int ENTITIES = 120;

    @TempDir private Path folder;

    @Test
    void aFewQueriesHaveOneAnswer() throws Exception {
        compare(Long.getLong("seed", 20261121L), 120);
    }

    @Test
    @Tag("slow")
    void manyQueriesHaveOneAnswer() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        for (int round = 0; round < 6; round++) {
            compare(seed + round, 500);
        }
    }

    private void compare(long seed, int queries) throws Exception {
        try (KeyValueStore memory = MemoryStore.open();
                RowDatabases inMemory = new RowDatabases(memory);
                KeyValueStore disk = RocksStore.open(folder.resolve("seed" + seed));
                RowDatabases onDisk = new RowDatabases(disk);
                KeyValueStore home = MemoryStore.open();
                KeyValueStore beside =
                        MemoryStore.open(
                                MemoryOptions.DEFAULT
                                        .withTier(MemoryOptions.Tier.B)
                                        .withoutViews());
                RowDatabases inTwo = new RowDatabases(placed(home, beside))) {
            Comparison comparison =
                    new Comparison(
                            new Random(seed),
                            List.of(
                                    new Datastore(inMemory, TimeSource.SYSTEM),
                                    new Datastore(onDisk, TimeSource.SYSTEM),
                                    new Datastore(inTwo, TimeSource.SYSTEM)));
            try {
                comparison.run(queries);
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("-Dseed=" + seed + ": " + comparison.current, failed);
            }
            assertThat(comparison.results)
                    .as("queries must not all be empty, -Dseed=%d", seed)
                    .isGreaterThan(queries);
        }
    }

    /** Places most entities outside the home store, and some of their index rows in it. */
    private static RoutedStores placed(KeyValueStore home, KeyValueStore beside) {
        return new RoutedStores(
                home,
                List.of(new RoutedStores.Other("beside", beside)),
                new KindPlacement(
                        Map.of(
                                KindPlacement.Subject.parse("Thing"), 1,
                                KindPlacement.Subject.parse("other/Root"), 1)),
                "a rule");
    }

    private static final class Comparison {
        private final Random random;
        private final List<Datastore> datastores;
        private final Map<String, RandomQueries> sources = new TreeMap<>();
        private final Map<String, Map<Bytes, Entity>> model = new TreeMap<>();
        private String namespace = "";
        private String current = "";
        private int results;

        Comparison(Random random, List<Datastore> datastores) {
            this.random = random;
            this.datastores = datastores;
            for (String name : NAMESPACES) {
                PartitionId partition =
                        RandomQueries.PARTITION.toBuilder().setNamespaceId(name).build();
                sources.put(name, new RandomQueries(random, partition));
                model.put(name, new TreeMap<>());
            }
        }

        void run(int queries) throws Exception {
            change(ENTITIES);
            for (int i = 0; i < queries; i++) {
                if (random.nextInt(10) == 0) {
                    change(10);
                }
                namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
                Query query = query();
                current =
                        "namespace \""
                                + namespace
                                + "\", "
                                + TextFormat.printer()
                                        .emittingSingleLine(true)
                                        .printToString(query);
                results += expected(query).size();
                for (Datastore datastore : datastores) {
                    assertThat(shown(query, whole(datastore, query))).isEqualTo(expected(query));
                    assertThat(shown(query, paged(datastore, query))).isEqualTo(expected(query));
                    aggregates(datastore, query);
                }
            }
        }

        /** Writes and removes entities, including earlier ones. */
        private void change(int count) {
            CommitRequest.Builder commit =
                    CommitRequest.newBuilder()
                            .setProjectId(PROJECT)
                            .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
            Set<Key> changed = new HashSet<>();
            while (changed.size() < count) {
                String name = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
                Map<Bytes, Entity> entities = of(model, name);
                Entity entity = of(sources, name).entity();
                if (!changed.add(entity.getKey())) {
                    continue;
                }
                Bytes path = Bytes.of(KeyCodec.path(entity.getKey()));
                Mutation.Builder mutation = Mutation.newBuilder();
                if (entities.containsKey(path) && random.nextBoolean()) {
                    entities.remove(path);
                    commit.addMutations(mutation.setDelete(entity.getKey()));
                } else {
                    entities.put(path, entity);
                    commit.addMutations(mutation.setUpsert(entity));
                }
            }
            datastores.forEach(datastore -> datastore.commit(commit.build()).join());
        }

        private static <T> T of(Map<String, T> all, String name) {
            return Objects.requireNonNull(all.get(name));
        }

        private Query query() {
            RandomQueries source = of(sources, namespace);
            if (random.nextInt(12) == 0) {
                return source.kindless();
            }
            return source.query();
        }

        private List<Entity> entities() {
            return List.copyOf(of(model, namespace).values());
        }

        private List<String> expected(Query query) {
            List<String> shown = new ArrayList<>();
            for (Oracle.Hit hit : Oracle.answer(query, entities())) {
                Map<String, Bytes> values = new TreeMap<>(hit.at());
                values.keySet().removeIf(property -> !projects(query, property));
                shown.add(hit.path() + " " + values);
            }
            return shown;
        }

        private static boolean projects(Query query, String property) {
            return query.getProjectionList().stream()
                    .anyMatch(p -> p.getProperty().getName().equals(property));
        }

        /**
         * Full entities must equal those that were written; of projections, the values are
         * compared.
         */
        private List<String> shown(Query query, List<EntityHit> hits) throws Exception {
            List<String> shown = new ArrayList<>();
            for (EntityHit hit : hits) {
                Entity entity = Entity.parseFrom(hit.entity());
                Bytes path = Bytes.of(KeyCodec.path(entity.getKey()));
                Map<String, Bytes> values = new TreeMap<>();
                if (query.getProjectionCount() == 0) {
                    assertThat(entity).isEqualTo(of(model, namespace).get(path));
                } else {
                    IndexedValues.of(entity)
                            .all()
                            .forEach((p, v) -> values.put(p, v.iterator().next()));
                }
                shown.add(path + " " + values);
            }
            return shown;
        }

        private QueryResult ask(Datastore datastore, Query query) {
            RunQueryRequest.Builder request =
                    RunQueryRequest.newBuilder().setProjectId(PROJECT).setQuery(query);
            request.getPartitionIdBuilder().setNamespaceId(namespace);
            return datastore.runQuery(request.build());
        }

        private List<EntityHit> whole(Datastore datastore, Query query) {
            QueryResult result = ask(datastore, query);
            assertThat(result.batch().getMoreResults()).isNotEqualTo(MoreResultsType.NOT_FINISHED);
            return result.hits();
        }

        private List<EntityHit> paged(Datastore datastore, Query query) {
            List<EntityHit> paged = new ArrayList<>();
            Query.Builder page = query.toBuilder();
            int wanted = query.hasLimit() ? query.getLimit().getValue() : Integer.MAX_VALUE;
            while (paged.size() < wanted) {
                int size = Math.min(1 + random.nextInt(9), wanted - paged.size());
                QueryResult result = ask(datastore, page.setLimit(Int32Value.of(size)).build());
                List<EntityHit> hits = result.hits();
                ByteString next = result.batch().getEndCursor();
                boolean last = result.batch().getMoreResults() == MoreResultsType.NO_MORE_RESULTS;
                if (!hits.isEmpty() && random.nextInt(3) == 0) {
                    // The cursor of any result continues from there.
                    int keep = 1 + random.nextInt(hits.size());
                    last &= keep == hits.size();
                    hits = hits.subList(0, keep);
                    next = ByteString.copyFrom(hits.getLast().cursor());
                }
                paged.addAll(hits);
                if (last) {
                    break;
                }
                page.setOffset(0).setStartCursor(next);
            }
            return paged;
        }

        private void aggregates(Datastore datastore, Query query) {
            String property = List.of("a", "b", "e.x").get(random.nextInt(3));
            PropertyReference reference = PropertyReference.newBuilder().setName(property).build();
            int upTo = 1 + random.nextInt(10);
            AggregationQuery.Builder aggregation =
                    AggregationQuery.newBuilder()
                            .setNestedQuery(query)
                            .addAggregations(
                                    Aggregation.newBuilder()
                                            .setAlias("count")
                                            .setCount(Aggregation.Count.getDefaultInstance()))
                            .addAggregations(
                                    Aggregation.newBuilder()
                                            .setAlias("some")
                                            .setCount(
                                                    Aggregation.Count.newBuilder()
                                                            .setUpTo(Int64Value.of(upTo))));
            boolean sums = random.nextBoolean();
            if (sums) {
                aggregation
                        .addAggregations(
                                Aggregation.newBuilder()
                                        .setAlias("sum")
                                        .setSum(
                                                Aggregation.Sum.newBuilder()
                                                        .setProperty(reference)))
                        .addAggregations(
                                Aggregation.newBuilder()
                                        .setAlias("avg")
                                        .setAvg(
                                                Aggregation.Avg.newBuilder()
                                                        .setProperty(reference)));
            }
            RunAggregationQueryRequest.Builder request =
                    RunAggregationQueryRequest.newBuilder()
                            .setProjectId(PROJECT)
                            .setAggregationQuery(aggregation);
            request.getPartitionIdBuilder().setNamespaceId(namespace);
            Map<String, Value> aggregates =
                    datastore
                            .runAggregationQuery(request.build())
                            .getBatch()
                            .getAggregationResults(0)
                            .getAggregatePropertiesMap();
            List<Oracle.Hit> hits =
                    sums ? summed(query, property) : Oracle.answer(query, entities());
            Map<String, Value> expected = new TreeMap<>();
            expected.put("count", integer(hits.size()));
            expected.put("some", integer(Math.min(upTo, hits.size())));
            if (sums) {
                sums(query, hits, property, expected);
            }
            assertThat(new TreeMap<>(aggregates)).as("figures of %s", property).isEqualTo(expected);
        }

        /**
         * The results included in the sum of a property: those that have it, and with a limit but
         * no order the first by that property. A projection or a query without a kind determines
         * which ones are taken.
         */
        private List<Oracle.Hit> summed(Query query, String property) {
            Map<Bytes, Bytes> first = firstValues(query, property);
            boolean projects =
                    query.getProjectionList().stream()
                            .anyMatch(p -> !p.getProperty().getName().equals("__key__"));
            if (projects || query.getDistinctOnCount() > 0 || query.getKindCount() == 0) {
                return Oracle.answer(query, entities()).stream()
                        .filter(
                                hit ->
                                        hit.at().containsKey(property)
                                                || first.containsKey(hit.path()))
                        .toList();
            }
            return first.entrySet().stream()
                    .map(
                            entry ->
                                    new Oracle.Hit(
                                            entry.getKey(), Map.of(property, entry.getValue())))
                    .skip(query.getOffset())
                    .limit(query.hasLimit() ? query.getLimit().getValue() : Integer.MAX_VALUE)
                    .toList();
        }

        private void sums(
                Query query, List<Oracle.Hit> hits, String property, Map<String, Value> into) {
            Map<Bytes, Bytes> first = firstValues(query, property);
            double sum = 0;
            int count = 0;
            boolean real = false;
            for (Oracle.Hit hit : hits) {
                Bytes encoded = hit.at().getOrDefault(property, first.get(hit.path()));
                Value value =
                        encoded == null
                                ? Value.getDefaultInstance()
                                : ValueCodec.decode(encoded.array(), 0, SortOrder.ASCENDING);
                if (value.hasIntegerValue() || value.hasDoubleValue()) {
                    sum +=
                            value.hasIntegerValue()
                                    ? value.getIntegerValue()
                                    : value.getDoubleValue();
                    real |= value.hasDoubleValue();
                    count++;
                }
            }
            Value.Builder total = Value.newBuilder();
            into.put("sum", real ? total.setDoubleValue(sum).build() : integer(Math.round(sum)));
            Value.Builder average = Value.newBuilder();
            into.put(
                    "avg",
                    count == 0
                            ? average.setNullValue(NullValue.NULL_VALUE).build()
                            : average.setDoubleValue(sum / count).build());
        }

        /**
         * By path in the order of results, the value at which the query would find the entity first
         * if the property were its last order.
         */
        private Map<Bytes, Bytes> firstValues(Query query, String property) {
            PropertyReference last = PropertyReference.newBuilder().setName(property).build();
            Query ordered =
                    query.toBuilder()
                            .clearLimit()
                            .clearOffset()
                            .clearDistinctOn()
                            .addAllProjection(
                                    query.getDistinctOnList().stream()
                                            .map(
                                                    p ->
                                                            Projection.newBuilder()
                                                                    .setProperty(p)
                                                                    .build())
                                            .toList())
                            .addProjection(Projection.newBuilder().setProperty(last))
                            .build();
            Map<Bytes, Bytes> values = new LinkedHashMap<>();
            for (Oracle.Hit hit : Oracle.answer(ordered, entities())) {
                values.putIfAbsent(hit.path(), hit.value(property));
            }
            return values;
        }

        private static Value integer(long value) {
            return Value.newBuilder().setIntegerValue(value).build();
        }
    }
}
