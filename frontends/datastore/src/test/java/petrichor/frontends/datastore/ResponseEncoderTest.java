package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.ExplainMetrics;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.PlanSummary;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.RunQueryResponse;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.entities.EntityHit;
import petrichor.entities.LookupResult;
import petrichor.entities.QueryResult;

class ResponseEncoderTest {
    private static final long MICROS = 1_700_000_000_123_456L;

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);

    @Test
    void anEncodedLookupParsesAsItsMessage() throws InvalidProtocolBufferException {
        for (int round = 0; round < 200; round++) {
            List<EntityHit> found = hits();
            List<EntityHit> missing = hits();
            List<Key> deferred = random.nextBoolean() ? List.of() : List.of(key(), key());
            ByteString transaction = bytes();
            long readTime = random.nextInt(4) == 0 ? 0 : MICROS;
            LookupResponse.Builder expected =
                    LookupResponse.newBuilder()
                            .addAllFound(found.stream().map(this::parsed).toList())
                            .addAllMissing(missing.stream().map(this::parsed).toList())
                            .addAllDeferred(deferred)
                            .setTransaction(transaction);
            if (readTime != 0) {
                expected.setReadTime(timestamp(readTime));
            }

            byte[] encoded =
                    ResponseEncoder.encode(
                            new LookupResult(found, missing, deferred, transaction, readTime));

            assertThat(LookupResponse.parseFrom(encoded))
                    .as("-Dseed=%d round %d", seed, round)
                    .isEqualTo(expected.build());
        }
    }

    @Test
    void anEncodedQueryParsesAsItsMessage() throws InvalidProtocolBufferException {
        for (int round = 0; round < 200; round++) {
            List<EntityHit> hits = hits();
            QueryResultBatch batch =
                    QueryResultBatch.newBuilder()
                            .setEntityResultType(EntityResult.ResultType.FULL)
                            .setSkippedResults(random.nextInt(3))
                            .setEndCursor(bytes())
                            .setMoreResults(QueryResultBatch.MoreResultsType.NO_MORE_RESULTS)
                            .setReadTime(timestamp(MICROS))
                            .build();
            Query query =
                    random.nextBoolean()
                            ? null
                            : Query.newBuilder().setStartCursor(bytes()).build();
            ByteString transaction = bytes();
            RunQueryResponse.Builder expected =
                    RunQueryResponse.newBuilder()
                            .setBatch(
                                    batch.toBuilder()
                                            .addAllEntityResults(
                                                    hits.stream().map(this::parsed).toList()))
                            .setTransaction(transaction);
            if (query != null) {
                expected.setQuery(query);
            }

            byte[] encoded =
                    ResponseEncoder.encode(new QueryResult(batch, hits, query, transaction, null));

            assertThat(RunQueryResponse.parseFrom(encoded))
                    .as("-Dseed=%d round %d", seed, round)
                    .isEqualTo(expected.build());
        }
    }

    @Test
    void aPlanWithoutExecutionHasNoBatch() throws InvalidProtocolBufferException {
        ExplainMetrics plan =
                ExplainMetrics.newBuilder().setPlanSummary(PlanSummary.newBuilder()).build();
        byte[] encoded =
                ResponseEncoder.encode(
                        new QueryResult(
                                QueryResultBatch.getDefaultInstance(),
                                List.of(),
                                null,
                                ByteString.EMPTY,
                                plan));
        assertThat(RunQueryResponse.parseFrom(encoded))
                .isEqualTo(RunQueryResponse.newBuilder().setExplainMetrics(plan).build());
    }

    @Test
    void anEmptyBatchIsStillABatch() throws InvalidProtocolBufferException {
        byte[] encoded =
                ResponseEncoder.encode(
                        new QueryResult(
                                QueryResultBatch.getDefaultInstance(),
                                List.of(),
                                null,
                                ByteString.EMPTY,
                                null));
        assertThat(RunQueryResponse.parseFrom(encoded).hasBatch()).isTrue();
    }

    @Test
    void timesBefore1970KeepTheirNanosPositive() throws InvalidProtocolBufferException {
        byte[] encoded =
                ResponseEncoder.encode(
                        new LookupResult(List.of(), List.of(), List.of(), ByteString.EMPTY, -1));
        Timestamp time = LookupResponse.parseFrom(encoded).getReadTime();
        assertThat(time.getSeconds()).isEqualTo(-1);
        assertThat(time.getNanos()).isEqualTo(999_999_000);
    }

    private List<EntityHit> hits() {
        List<EntityHit> hits = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            Entity entity =
                    Entity.newBuilder()
                            .setKey(key())
                            .putProperties(
                                    "p",
                                    Value.newBuilder()
                                            .setStringValue("x".repeat(random.nextInt(400)))
                                            .build())
                            .build();
            hits.add(
                    new EntityHit(
                            entity.toByteArray(),
                            random.nextInt(3) == 0 ? 0 : MICROS + i,
                            random.nextInt(3) == 0 ? 0 : MICROS - i * 1_000_000L,
                            random.nextInt(3) == 0 ? 0 : 1_700_000_000_000_000L,
                            bytes().toByteArray()));
        }
        return hits;
    }

    private EntityResult parsed(EntityHit hit) {
        EntityResult.Builder result = EntityResult.newBuilder().setVersion(hit.version());
        try {
            result.setEntity(Entity.parseFrom(hit.entity()));
        } catch (InvalidProtocolBufferException broken) {
            throw new AssertionError(broken);
        }
        result.setCursor(ByteString.copyFrom(hit.cursor()));
        if (hit.createTime() != 0) {
            result.setCreateTime(timestamp(hit.createTime()));
        }
        if (hit.updateTime() != 0) {
            result.setUpdateTime(timestamp(hit.updateTime()));
        }
        return result.build();
    }

    private static Timestamp timestamp(long micros) {
        return Timestamp.newBuilder()
                .setSeconds(micros / 1_000_000)
                .setNanos((int) (micros % 1_000_000) * 1_000)
                .build();
    }

    private Key key() {
        return Key.newBuilder()
                .addPath(Key.PathElement.newBuilder().setKind("K").setId(1 + random.nextInt(99)))
                .build();
    }

    private ByteString bytes() {
        byte[] bytes = new byte[random.nextInt(3) * 70];
        random.nextBytes(bytes);
        return ByteString.copyFrom(bytes);
    }
}
