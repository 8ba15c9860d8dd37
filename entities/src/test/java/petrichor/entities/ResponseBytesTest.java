package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Responses fit into the 4 MiB that gRPC clients accept; the rest follows in later responses. */
class ResponseBytesTest {
    private static final int GRPC_BYTES_MAX = 4 << 20;
    private static final int LARGEST_BLOB = 1_000_000;

    private final Entities entities = new Entities();

    @AfterEach
    void close() {
        entities.close();
    }

    @Test
    void lookupsOfLargeEntitiesDeferTheRest() {
        List<Key> wanted = fill(60, 100_000);
        List<String> got = new ArrayList<>();
        int rounds = 0;
        while (!wanted.isEmpty()) {
            LookupResult result = lookup(wanted);
            assertThat(bytes(result.found())).isLessThan(GRPC_BYTES_MAX);
            assertThat(result.found()).isNotEmpty();
            result.found().forEach(hit -> got.add(name(hit)));
            wanted = result.deferred();
            rounds++;
        }
        assertThat(got).hasSize(60).doesNotHaveDuplicates();
        assertThat(rounds).isEqualTo(2);
    }

    @Test
    void missingKeysCountTowardsTheLimit() {
        List<Key> wanted = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            wanted.add(Entities.key("K".repeat(1_400), "x".repeat(1_400) + i));
        }
        int missing = 0;
        while (!wanted.isEmpty()) {
            LookupResult result = lookup(wanted);
            assertThat(bytes(result.missing())).isLessThan(GRPC_BYTES_MAX);
            missing += result.missing().size();
            wanted = result.deferred();
        }
        assertThat(missing).isEqualTo(1_000);
    }

    @Test
    void anEntityOfMaximumSizeIsReturnedAlone() {
        List<Key> wanted = fill(1, LARGEST_BLOB);
        assertThat(lookup(wanted).found()).hasSize(1);
        assertThat(batch(query(), ByteString.EMPTY).hits()).hasSize(1);
    }

    @Test
    void aQueryBatchEndsWhenTheResponseIsFull() {
        fill(40, LARGEST_BLOB / 2);
        assertThat(all(query())).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void offsetsAndLimitsHoldAcrossCutBatches() {
        fill(40, LARGEST_BLOB / 2);
        List<String> everything = all(query());
        QueryResult first =
                batch(query().setOffset(5).setLimit(Int32Value.of(20)), ByteString.EMPTY);
        assertThat(first.batch().getSkippedResults()).isEqualTo(5);
        assertThat(first.batch().getMoreResults()).isEqualTo(MoreResultsType.NOT_FINISHED);
        List<String> got =
                new ArrayList<>(first.hits().stream().map(ResponseBytesTest::name).toList());
        QueryResult next = first;
        while (got.size() < 20) {
            next =
                    batch(
                            query().setLimit(Int32Value.of(20 - got.size())),
                            next.batch().getEndCursor());
            next.hits().forEach(hit -> got.add(name(hit)));
        }
        assertThat(got).isEqualTo(everything.subList(5, 25));
    }

    @Test
    void largeEntitiesAfterSmallOnesDoNotExceedTheLimit() {
        fill(60, 10);
        for (int i = 0; i < 30; i++) {
            put("large" + i, LARGEST_BLOB);
        }
        assertThat(all(query())).hasSize(90).doesNotHaveDuplicates();
    }

    private List<String> all(Query.Builder query) {
        List<String> names = new ArrayList<>();
        ByteString cursor = ByteString.EMPTY;
        while (true) {
            QueryResult result = batch(query, cursor);
            assertThat(bytes(result.hits())).isLessThan(GRPC_BYTES_MAX);
            result.hits().forEach(hit -> names.add(name(hit)));
            if (result.batch().getMoreResults() != MoreResultsType.NOT_FINISHED) {
                return names;
            }
            assertThat(result.hits()).isNotEmpty();
            cursor = result.batch().getEndCursor();
        }
    }

    private QueryResult batch(Query.Builder query, ByteString cursor) {
        return entities.datastore.runQuery(
                RunQueryRequest.newBuilder()
                        .setProjectId(Entities.PROJECT)
                        .setQuery(query.clone().setStartCursor(cursor))
                        .build());
    }

    private static Query.Builder query() {
        return Query.newBuilder().addKind(KindExpression.newBuilder().setName("K"));
    }

    private LookupResult lookup(List<Key> keys) {
        return entities.datastore.lookup(
                LookupRequest.newBuilder().setProjectId(Entities.PROJECT).addAllKeys(keys).build());
    }

    private List<Key> fill(int count, int blobBytes) {
        List<Key> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(put(String.format("%04d", i), blobBytes));
        }
        return keys;
    }

    private Key put(String name, int blobBytes) {
        Key key = Entities.key("K", name);
        entities.put(
                Entity.newBuilder()
                        .setKey(key)
                        .putProperties(
                                "blob",
                                Value.newBuilder()
                                        .setExcludeFromIndexes(true)
                                        .setBlobValue(ByteString.copyFrom(new byte[blobBytes]))
                                        .build())
                        .build());
        return key;
    }

    private static String name(EntityHit hit) {
        return Entities.parse(hit).getKey().getPath(0).getName();
    }

    private static long bytes(List<EntityHit> hits) {
        return hits.stream().mapToLong(hit -> hit.entity().length + hit.cursor().length).sum();
    }
}
