package petrichor.kv.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.failure;

import java.util.List;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.ErrorCode;
import petrichor.kv.StoreUrl;

/** Servers, databases and addresses that must not be used. */
class UnfitServerTest {
    private static final MongoServer SERVER = MongoServer.shared();

    @Test
    void ferretDbIsRefusedUnlessDeclaredToHaveOneServer() {
        StoreUrl url = SERVER.newStore();
        StoreUrl unsaid = StoreUrl.parse(withPassword(url) + "?timeout=" + MongoServer.PATIENT);
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> MongoStore.open(unsaid)))
                .contains("FerretDB")
                .contains("?ferretdb=one-server");
    }

    private static String withPassword(StoreUrl url) {
        return "mongodb://%s:%s@%s/%s"
                .formatted(
                        url.user().orElseThrow(),
                        url.password().orElseThrow(),
                        url.nodes().getFirst(),
                        url.name());
    }

    @Test
    void wrongPasswordIsUnauthenticatedAndNotEchoed() {
        StoreUrl url = SERVER.newStore().withPassword("wr0ng");
        assertThat(failure(ErrorCode.UNAUTHENTICATED, () -> MongoStore.open(url)))
                .contains("password")
                .doesNotContain("wr0ng");
    }

    @Test
    void missingPasswordIsUnauthenticated() {
        StoreUrl with = SERVER.newStore();
        StoreUrl url =
                StoreUrl.parse(
                        "mongodb://%s/%s?ferretdb=one-server"
                                .formatted(with.nodes().getFirst(), with.name()));
        assertThat(failure(ErrorCode.UNAUTHENTICATED, () -> MongoStore.open(url)))
                .contains("password");
    }

    @Test
    void collectionsOfAnotherProgramAreRefused() {
        StoreUrl url = SERVER.newStore();
        SERVER.operator(
                url, database -> database.getCollection("kv_rows").insertOne(new Document("a", 1)));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> MongoStore.open(url)))
                .contains("'kv_rows'")
                .contains("another database");
        StoreUrl other = SERVER.newStore();
        SERVER.operator(
                other,
                database ->
                        database.getCollection("petrichor").insertOne(new Document("_id", "x")));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> MongoStore.open(other)))
                .contains("'petrichor'");
        StoreUrl third = SERVER.newStore();
        SERVER.operator(
                third,
                database ->
                        database.getCollection("petrichor")
                                .insertOne(
                                        new Document("_id", "format").append("version", "theirs")));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> MongoStore.open(third)))
                .contains("not Petrichor's");
    }

    @Test
    void collectionOfAnotherProgramUnderATablesNameIsRefused() {
        StoreUrl url = SERVER.newStore();
        try (MongoStore store = MongoStore.open(url)) {
            SERVER.operator(
                    url,
                    database -> database.getCollection("kv_rows").insertOne(new Document("a", 1)));
            assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> store.createTable(TABLE)))
                    .contains("'kv_rows'");
            assertThat(store.tables()).isEmpty();
        }
    }

    @Test
    void newerFormatIsRefused() {
        StoreUrl url = SERVER.newStore();
        SERVER.operator(
                url,
                database ->
                        database.getCollection("petrichor")
                                .insertOne(
                                        new Document("_id", "format")
                                                .append("version", "petrichor 2")));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> MongoStore.open(url)))
                .contains("newer Petrichor");
    }

    @Test
    void onlyASingleMemberReplicaSetIsAccepted() {
        Document build = new Document("version", "7.0.5");
        Document alone =
                new Document("isWritablePrimary", true)
                        .append("setName", "rs")
                        .append("hosts", List.of("a:27017"));
        new MongoFitness("mongodb://a/x", alone, build).require(false);

        Document noSet = new Document("isWritablePrimary", true);
        assertThat(refusal(noSet, build)).contains("--replSet");
        Document three = new Document(alone).append("hosts", List.of("a:1", "b:1", "c:1"));
        assertThat(refusal(three, build)).contains("3 members");
        Document router = new Document("msg", "isdbgrid");
        assertThat(refusal(router, build)).contains("sharded");
        assertThat(refusal(alone, new Document("version", "5.0.9"))).contains("5.0.9");
        assertThat(refusal(alone, new Document())).contains("version 6");
    }

    private static String refusal(Document hello, Document build) {
        return failure(
                ErrorCode.FAILED_PRECONDITION,
                () -> new MongoFitness("mongodb://a/x", hello, build).require(true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mongodb://a,b/x",
                "mongodb://a/x.y",
                "mongodb://a/x?w=1",
                "mongodb://a/x?journal=false",
                "mongodb://a/x?readPreference=secondary",
                "mongodb://a/x?ferretdb=yes",
                "mongodb://a/x?timeout=5"
            })
    void invalidOrWeakeningAddressIsRefused(String address) {
        failure(ErrorCode.INVALID_ARGUMENT, () -> MongoStore.open(StoreUrl.parse(address)));
    }

    @Test
    void unreachableServerIsUnavailableWithTheAddress() {
        StoreUrl url = StoreUrl.parse("mongodb://127.0.0.1:1/x?timeout=1s");
        assertThat(failure(ErrorCode.UNAVAILABLE, () -> MongoStore.open(url)))
                .contains("mongodb://127.0.0.1:1/x");
    }
}
