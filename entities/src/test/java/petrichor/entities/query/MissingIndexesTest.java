package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.query.QueryBench.gql;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.QueryResult;

/** Queries without the index that they need, on a store in memory. */
class MissingIndexesTest {
    private final QueryBench bench = new QueryBench();

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void aMissingIndexIsCreatedOrReportedAsIndexYaml() throws Exception {
        bench.numbers();
        String query = "SELECT * FROM A WHERE half = 1 ORDER BY n DESC";
        assertThatThrownBy(() -> bench.open(Queries.MissingIndexes.REFUSE).runQuery(gql(query)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> {
                            assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION);
                            assertThat(e)
                                    .hasMessage(
                                            """
                                            no matching index found. recommended index is:
                                            - kind: A
                                              properties:
                                              - name: half
                                              - name: "n"
                                                direction: desc
                                            """);
                        });
        assertThat(bench.entities(gql(query)))
                .extracting(e -> e.getPropertiesOrThrow("n").getIntegerValue())
                .containsExactly(3L, 2L);
    }

    @Test
    void aQueryOfThePastWithoutItsIndexIsRefusedWithTheDeclaration() throws Exception {
        bench.numbers();
        RunQueryRequest query = gql("SELECT * FROM A WHERE half = 1 ORDER BY n DESC");
        Timestamp past = bench.datastore.runQuery(gql("SELECT * FROM A")).batch().getReadTime();
        TransactionOptions readOnly =
                TransactionOptions.newBuilder()
                        .setReadOnly(TransactionOptions.ReadOnly.newBuilder().setReadTime(past))
                        .build();
        ByteString transaction =
                bench.datastore
                        .beginTransaction(
                                BeginTransactionRequest.newBuilder()
                                        .setProjectId("demo")
                                        .setTransactionOptions(readOnly)
                                        .build())
                        .getTransaction();
        List<ReadOptions> readings =
                List.of(
                        ReadOptions.newBuilder().setReadTime(past).build(),
                        ReadOptions.newBuilder().setTransaction(transaction).build(),
                        ReadOptions.newBuilder().setNewTransaction(readOnly).build());
        for (int attempt = 0; attempt < 2; attempt++) {
            for (ReadOptions reading : readings) {
                assertThatThrownBy(
                                () ->
                                        bench.datastore.runQuery(
                                                query.toBuilder().setReadOptions(reading).build()))
                        .isInstanceOfSatisfying(
                                PetrichorException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                        .hasMessageContaining("read_time")
                        .hasMessageContaining("- kind: A\n  properties:\n  - name: half\n");
            }
            // An index created later did not exist then.
            assertThat(bench.entities(query)).hasSize(2);
        }
    }

    @Test
    void aTransactionThatLacksAnIndexHasItOnRetry() throws Exception {
        bench.numbers();
        RunQueryRequest query = gql("SELECT * FROM A WHERE half = 1 ORDER BY n DESC");
        for (TransactionOptions options :
                List.of(
                        TransactionOptions.getDefaultInstance(),
                        TransactionOptions.newBuilder()
                                .setReadOnly(TransactionOptions.ReadOnly.getDefaultInstance())
                                .build())) {
            bench.datastore
                    .databases()
                    .open("demo", "")
                    .indexes()
                    .newest()
                    .all()
                    .forEach(
                            index ->
                                    bench.datastore
                                            .databases()
                                            .open("demo", "")
                                            .indexes()
                                            .remove(index.definition()));
            assertThatThrownBy(() -> inTransaction(query, options))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED));
            assertThat(inTransaction(query, options).hits()).hasSize(2);
        }
    }

    private QueryResult inTransaction(RunQueryRequest query, TransactionOptions options) {
        ByteString transaction =
                bench.datastore
                        .beginTransaction(
                                BeginTransactionRequest.newBuilder()
                                        .setProjectId("demo")
                                        .setTransactionOptions(options)
                                        .build())
                        .getTransaction();
        return bench.datastore.runQuery(
                query.toBuilder()
                        .setReadOptions(ReadOptions.newBuilder().setTransaction(transaction))
                        .build());
    }
}
