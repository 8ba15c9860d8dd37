package petrichor.entities.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.GqlQueryParameter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.QueryResultBatch.MoreResultsType;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.entities.EntityHit;
import petrichor.entities.QueryResult;
import petrichor.kv.KeyValueStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.databases.RowDatabases;

/** Cursors are self-contained: the server may have been restarted between two pages. */
class CursorsTest {
    @TempDir private Path folder;

    private interface Use {
        void use(Datastore datastore) throws Exception;
    }

    /** Opens the store, and closes it afterwards. */
    private void open(Use use) throws Exception {
        try (KeyValueStore store = RocksStore.open(folder);
                RowDatabases rows = new RowDatabases(store)) {
            use.use(new Datastore(rows, TimeSource.SYSTEM));
        }
    }

    @Test
    void aCursorIsValidAfterARestart() throws Exception {
        open(CursorsTest::fill);
        for (String query :
                List.of(
                        "SELECT * FROM A",
                        "SELECT __key__ FROM A ORDER BY __key__ DESC",
                        "SELECT * FROM A WHERE n IN ARRAY(1, 2, 3, 4) ORDER BY t",
                        "SELECT * FROM A WHERE t > 'b' ORDER BY n DESC",
                        "SELECT t FROM A",
                        "SELECT DISTINCT ON (n) n, t FROM A ORDER BY n, t DESC")) {
            List<String> whole = new ArrayList<>();
            open(datastore -> whole.addAll(shown(page(datastore, query, 1000, ByteString.EMPTY))));
            List<String> pages = new ArrayList<>();
            ByteString[] cursor = {ByteString.EMPTY};
            boolean[] more = {true};
            while (more[0]) {
                open(
                        datastore -> {
                            QueryResult page = page(datastore, query, 7, cursor[0]);
                            pages.addAll(shown(page));
                            cursor[0] = page.batch().getEndCursor();
                            more[0] =
                                    page.batch().getMoreResults()
                                            != MoreResultsType.NO_MORE_RESULTS;
                        });
            }
            assertThat(whole).as(query).hasSizeGreaterThan(8).doesNotHaveDuplicates();
            assertThat(pages).as(query).isEqualTo(whole);
        }
    }

    @Test
    void aProjectionContinuesWithTheNextValueOfTheSameEntity() throws Exception {
        open(
                datastore -> {
                    fill(datastore);
                    List<String> values = new ArrayList<>();
                    ByteString cursor = ByteString.EMPTY;
                    String one = "SELECT t FROM A WHERE __key__ = KEY(A, 3)";
                    for (int i = 0; i < 3; i++) {
                        QueryResult page = page(datastore, one, 1, cursor);
                        Entity entity = Entity.parseFrom(page.hits().getFirst().entity());
                        values.add(entity.getPropertiesOrThrow("t").getStringValue());
                        cursor = ByteString.copyFrom(page.hits().getFirst().cursor());
                    }
                    assertThat(values).containsExactly("a3", "b3", "c3");
                    assertThat(page(datastore, one, 1, cursor).hits()).isEmpty();
                });
    }

    /** Thirty entities with several values each. */
    private static void fill(Datastore datastore) {
        CommitRequest.Builder commit =
                CommitRequest.newBuilder()
                        .setProjectId("demo")
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (int i = 1; i <= 30; i++) {
            Value.Builder texts = Value.newBuilder();
            for (String letter : List.of("a", "b", "c")) {
                texts.getArrayValueBuilder().addValuesBuilder().setStringValue(letter + i);
            }
            Key.Builder key = Key.newBuilder();
            key.getPartitionIdBuilder().setProjectId("demo");
            key.addPathBuilder().setKind("A").setId(i);
            commit.addMutations(
                    Mutation.newBuilder()
                            .setUpsert(
                                    Entity.newBuilder()
                                            .setKey(key)
                                            .putProperties(
                                                    "n",
                                                    Value.newBuilder()
                                                            .setIntegerValue(i % 10)
                                                            .build())
                                            .putProperties("t", texts.build())));
        }
        datastore.commit(commit.build()).join();
    }

    private static QueryResult page(
            Datastore datastore, String query, int limit, ByteString cursor) {
        GqlQuery.Builder gql =
                GqlQuery.newBuilder()
                        .setQueryString(query + " LIMIT " + limit)
                        .setAllowLiterals(true);
        if (!cursor.isEmpty()) {
            gql.setQueryString(gql.getQueryString() + " OFFSET @c")
                    .putNamedBindings(
                            "c", GqlQueryParameter.newBuilder().setCursor(cursor).build());
        }
        return datastore.runQuery(
                RunQueryRequest.newBuilder().setProjectId("demo").setGqlQuery(gql).build());
    }

    private static List<String> shown(QueryResult result) throws Exception {
        List<String> shown = new ArrayList<>();
        for (EntityHit hit : result.hits()) {
            shown.add(Entity.parseFrom(hit.entity()).toString());
        }
        return shown;
    }
}
