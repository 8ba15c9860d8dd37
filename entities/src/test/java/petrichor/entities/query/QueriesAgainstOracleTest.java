package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import com.google.protobuf.TextFormat;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import petrichor.base.Bytes;
import petrichor.entities.EntityHit;
import petrichor.entities.IndexDefinition;
import petrichor.entities.IndexedValues;
import petrichor.entities.KeyCodec;
import petrichor.entities.Limits;

class QueriesAgainstOracleTest {
    private static final long SEED = Long.getLong("seed", 20261121L);
    private static final int DATABASES = 8;
    private static final int ENTITIES = 120;
    private static final int QUERIES_PER_DATABASE = 150;

    @Test
    void randomQueriesMatchTheOracle() throws Exception {
        forRandomQueries(
                (rows, query, random) ->
                        assertThat(shown(query, all(rows, query)))
                                .isEqualTo(expected(query, rows.entities)));
    }

    @Test
    void pagesByCursorFormTheWholeResult() throws Exception {
        forRandomQueries(
                (rows, query, random) -> {
                    List<EntityHit> paged = new ArrayList<>();
                    Query.Builder page = query.toBuilder();
                    int wanted = query.hasLimit() ? query.getLimit().getValue() : 10_000;
                    while (paged.size() < wanted) {
                        int size = Math.min(1 + random.nextInt(7), wanted - paged.size());
                        BatchRun.Batch batch =
                                batch(rows, page.setLimit(Int32Value.of(size)).build());
                        paged.addAll(batch.hits());
                        if (batch.batch().getMoreResults() == MoreResultsType.NO_MORE_RESULTS) {
                            break;
                        }
                        page.setOffset(0).setStartCursor(batch.batch().getEndCursor());
                    }
                    assertThat(shown(query, paged)).isEqualTo(expected(query, rows.entities));
                });
    }

    @Test
    void theCursorOfAResultAsEndCursorEndsWithThatResult() throws Exception {
        forRandomQueries(
                (rows, query, random) -> {
                    List<EntityHit> all = all(rows, query);
                    if (!all.isEmpty()) {
                        int last = random.nextInt(all.size());
                        ByteString end = ByteString.copyFrom(all.get(last).cursor());
                        Query cut = query.toBuilder().setEndCursor(end).build();
                        assertThat(shown(query, all(rows, cut)))
                                .isEqualTo(shown(query, all.subList(0, last + 1)));
                    }
                });
    }

    @Test
    void aWalkWithLimitedMemoryStillReturnsEveryEntityOnce() throws Exception {
        forRandomQueries(
                (rows, query, random) -> {
                    PlannedQuery planned = planned(rows, query);
                    Work work = new Work();
                    BatchRun run =
                            new BatchRun(
                                    query,
                                    planned.shape(),
                                    planned.partition(),
                                    rows,
                                    Limits.RESPONSE_BYTES_MAX,
                                    work);
                    FirstPosition first =
                            new FirstPosition(planned.shape(), planned.conjunctions());
                    try (Walk walk =
                            new MergedWalk(
                                    planned.shape(),
                                    planned.plans(),
                                    first,
                                    rows,
                                    null,
                                    1 + random.nextInt(5),
                                    work)) {
                        assertThat(shown(query, run.run(walk).hits()))
                                .isEqualTo(expected(query, rows.entities));
                    }
                });
    }

    private interface Check {
        void check(IndexedRows rows, Query query, Random random) throws Exception;
    }

    private static void forRandomQueries(Check check) throws Exception {
        int results = 0;
        for (int database = 0; database < DATABASES; database++) {
            Random random = new Random(SEED + database);
            RandomQueries source = new RandomQueries(random);
            IndexedRows rows = new IndexedRows();
            Set<Bytes> keys = new HashSet<>();
            for (int i = 0; i < ENTITIES; i++) {
                Entity entity = source.entity();
                if (keys.add(Bytes.of(KeyCodec.path(entity.getKey())))) {
                    rows.put(entity);
                }
            }
            for (int i = 0; i < QUERIES_PER_DATABASE; i++) {
                Query query = source.query();
                try {
                    check.check(rows, query, random);
                } catch (AssertionError | RuntimeException failed) {
                    String text =
                            TextFormat.printer().emittingSingleLine(true).printToString(query);
                    throw new AssertionError(
                            "-Dseed=" + SEED + ", database " + database + ": " + text, failed);
                }
                results += expected(query, rows.entities).size();
            }
        }
        assertThat(results).as("queries must not all be empty").isGreaterThan(1000);
    }

    private static PlannedQuery planned(IndexedRows rows, Query query) {
        PlannedQuery planned = PlannedQuery.of(query, RandomQueries.PARTITION, rows::readable);
        for (IndexDefinition missing : planned.missing()) {
            rows.ensure(missing);
        }
        return planned.missing().isEmpty()
                ? planned
                : PlannedQuery.of(query, RandomQueries.PARTITION, rows::readable);
    }

    private static BatchRun.Batch batch(IndexedRows rows, Query query) {
        PlannedQuery planned = planned(rows, query);
        assertThat(planned.missing()).isEmpty();
        Work work = new Work();
        BatchRun run =
                new BatchRun(
                        query,
                        planned.shape(),
                        planned.partition(),
                        rows,
                        Limits.RESPONSE_BYTES_MAX,
                        work);
        try (Walk walk = planned.walk(rows, run.start(), work)) {
            return run.run(walk);
        }
    }

    private static List<EntityHit> all(IndexedRows rows, Query query) {
        BatchRun.Batch batch = batch(rows, query);
        assertThat(batch.batch().getMoreResults()).isNotEqualTo(MoreResultsType.NOT_FINISHED);
        return batch.hits();
    }

    private static boolean projects(Query query, String property) {
        return query.getProjectionList().stream()
                .anyMatch(p -> p.getProperty().getName().equals(property));
    }

    private static List<String> shown(Query query, List<EntityHit> hits) throws Exception {
        List<String> shown = new ArrayList<>();
        for (EntityHit hit : hits) {
            Entity entity = Entity.parseFrom(hit.entity());
            Map<String, Bytes> values = new TreeMap<>();
            if (query.getProjectionCount() > 0) {
                IndexedValues.of(entity)
                        .all()
                        .forEach((p, v) -> values.put(p, v.iterator().next()));
            }
            shown.add(Bytes.of(KeyCodec.path(entity.getKey())) + " " + values);
        }
        return shown;
    }

    private static List<String> expected(Query query, List<Entity> entities) {
        List<String> shown = new ArrayList<>();
        for (Oracle.Hit hit : Oracle.answer(query, entities)) {
            Map<String, Bytes> values = new TreeMap<>(hit.at());
            values.keySet().removeIf(property -> !projects(query, property));
            shown.add(hit.path() + " " + values);
        }
        return shown;
    }
}
