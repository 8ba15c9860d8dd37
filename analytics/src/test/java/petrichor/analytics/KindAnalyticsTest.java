package petrichor.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.kv.memory.MemoryStore;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlException;
import petrichor.sql.SqlSession;
import petrichor.sql.StatementResult;
import petrichor.transactions.databases.RowDatabases;

/** Kinds of entities in the engine for analytics, next to the Datastore API. */
final class KindAnalyticsTest {
    private static final String PROJECT = "shop";

    @TempDir private static Path folder;
    private static Analytics analytics;
    private RowDatabases rows;
    private Datastore datastore;
    private SqlDatabase database;
    private SqlSession session;

    @BeforeAll
    static void start() {
        analytics =
                Analytics.open(
                        new AnalyticsSettings(folder.resolve("worker"), 256L << 20, 1L << 30, 2));
    }

    @AfterAll
    static void stop() {
        analytics.close();
    }

    @BeforeEach
    void open() {
        rows = new RowDatabases(MemoryStore.open());
        datastore = new Datastore(rows, TimeSource.SYSTEM);
        database = SqlDatabase.open(rows.open(PROJECT), analytics);
        session = database.connect("ada");
        run("SET petrichor.engine = 'analytics'");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
    }

    private static Value text(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }

    private static Value number(long value) {
        return Value.newBuilder().setIntegerValue(value).build();
    }

    private static Key.Builder key(String namespace, String kind, long id) {
        return Key.newBuilder()
                .setPartitionId(
                        PartitionId.newBuilder().setProjectId(PROJECT).setNamespaceId(namespace))
                .addPath(Key.PathElement.newBuilder().setKind(kind).setId(id));
    }

    private static Entity book(long id) {
        return Entity.newBuilder()
                .setKey(key("", "Book", id))
                .putProperties("title", text("book " + id))
                .putProperties("year", number(1800 + id % 100))
                .build();
    }

    private void put(List<Entity> entities) {
        CommitRequest.Builder request = commit();
        entities.forEach(entity -> request.addMutations(Mutation.newBuilder().setUpsert(entity)));
        datastore.commit(request.build()).join();
    }

    private static CommitRequest.Builder commit() {
        return CommitRequest.newBuilder()
                .setProjectId(PROJECT)
                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
    }

    private void putBooks(long count) {
        for (long from = 1; from <= count; from += 400) {
            put(
                    LongStream.range(from, Math.min(count + 1, from + 400))
                            .mapToObj(KindAnalyticsTest::book)
                            .toList());
        }
    }

    private String run(String statement) {
        StatementResult result = session.execute(statement);
        if (!(result instanceof StatementResult.Rows queried)) {
            return result.tag();
        }
        List<String> lines = new ArrayList<>();
        try (RowIterator found = queried.rows()) {
            while (found.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 0; i < queried.columns().size(); i++) {
                    values.add(String.valueOf(found.value(i)));
                }
                lines.add(String.join("|", values));
            }
        }
        return String.join(" ", lines);
    }

    /** The same query on the other engine. */
    private String runTransactions(String statement) {
        run("SET petrichor.engine = 'transactions'");
        try {
            return run(statement);
        } finally {
            run("SET petrichor.engine = 'analytics'");
        }
    }

    private String failure(String statement) {
        try {
            return run(statement);
        } catch (SqlException failed) {
            return failed.state();
        }
    }

    @Test
    void aggregatesEntities() {
        putBooks(3_000);
        String query =
                "SELECT year, count(*) AS n, min(title) FROM entities.book GROUP BY year"
                        + " ORDER BY n DESC, year LIMIT 3";
        assertThat(run(query)).isEqualTo(runTransactions(query)).startsWith("1800|30|book 100");
    }

    @Test
    void appliesChangesOfEntities() {
        putBooks(1_000);
        String query = "SELECT count(*), sum(year) FROM entities.Book";
        long sum = LongStream.rangeClosed(1, 1_000).map(id -> 1_800 + id % 100).sum();
        assertThat(run(query)).isEqualTo("1000|" + sum);
        put(List.of(book(5).toBuilder().putProperties("year", number(0)).build(), book(2_000)));
        put(List.of(book(1).toBuilder().setKey(key("", "Page", 1)).build()));
        datastore
                .commit(
                        commit().addMutations(Mutation.newBuilder().setDelete(key("", "Book", 7)))
                                .build())
                .join();
        assertThat(run(query)).isEqualTo("1000|" + (sum - 1_805 - 1_807 + 1_800));
        assertThat(run(query)).isEqualTo(runTransactions(query));
    }

    @Test
    void hasTheColumnsOfTheOtherEngine() {
        Entity all =
                Entity.newBuilder()
                        .setKey(
                                key("", "Book", 1)
                                        .addPath(
                                                Key.PathElement.newBuilder()
                                                        .setKind("All")
                                                        .setName("it's")))
                        .putProperties("b", Value.newBuilder().setBooleanValue(true).build())
                        .putProperties("d", Value.newBuilder().setDoubleValue(0.5).build())
                        .putProperties(
                                "key", Value.newBuilder().setKeyValue(key("", "Book", 9)).build())
                        .putProperties(
                                "time",
                                Value.newBuilder()
                                        .setTimestampValue(
                                                Timestamp.newBuilder()
                                                        .setSeconds(1_700_000_000)
                                                        .setNanos(5_000))
                                        .build())
                        .putProperties(
                                "tags",
                                Value.newBuilder()
                                        .setArrayValue(
                                                ArrayValue.newBuilder()
                                                        .addValues(text("x, \"y\""))
                                                        .addValues(text("z")))
                                        .build())
                        .build();
        put(List.of(all));
        String query =
                "SELECT __key__, __id__, __name__, __parent__, __ancestors__, b, d, key, tags"
                        + " FROM entities.\"All\"";
        assertThat(run(query)).isEqualTo(runTransactions(query)).contains("KEY(Book, 1)");
        assertThat(
                        run(
                                "SELECT \"time\" = TIMESTAMPTZ '2023-11-14T22:13:20.000005Z',"
                                        + " __json__->>'d', json_array_length(__json__->'tags')"
                                        + " FROM entities.\"All\""))
                .isEqualTo("true|0.5|2");
    }

    @Test
    void showsBlobsInArrays() {
        Value bytes =
                Value.newBuilder()
                        .setBlobValue(ByteString.copyFrom(new byte[] {0, 'a', (byte) 0xFF}))
                        .build();
        Value times =
                Value.newBuilder()
                        .setTimestampValue(Timestamp.newBuilder().setSeconds(1_700_000_040))
                        .build();
        put(
                List.of(
                        Entity.newBuilder()
                                .setKey(key("", "Blobs", 1))
                                .putProperties("list", array(bytes))
                                .putProperties("times", array(times))
                                .build()));
        assertThat(run("SELECT hex(list[1]), epoch(times[1]) FROM entities.\"Blobs\""))
                .isEqualTo("0061FF|1.70000004E9");
    }

    private static Value array(Value element) {
        return Value.newBuilder().setArrayValue(ArrayValue.newBuilder().addValues(element)).build();
    }

    @Test
    void widensAColumnForValuesThatTheSampleDoesNotShow() {
        putBooks(1_000);
        Entity.Builder odd = book(500).toBuilder();
        Value notIndexed =
                Value.newBuilder().setStringValue("?").setExcludeFromIndexes(true).build();
        put(List.of(odd.putProperties("year", notIndexed).build()));
        String query = "SELECT count(*), count(DISTINCT year) FROM entities.Book";
        assertThat(run(query)).isEqualTo("1000|101");
    }

    @Test
    void widensAColumnForAChange() {
        putBooks(1_000);
        String query = "SELECT count(*), count(DISTINCT CAST(year AS TEXT)) FROM entities.Book";
        assertThat(run(query)).isEqualTo("1000|100");
        Value fraction = Value.newBuilder().setDoubleValue(0.5).setExcludeFromIndexes(true).build();
        put(List.of(book(500).toBuilder().putProperties("year", fraction).build()));
        assertThat(run(query)).isEqualTo("1000|101");
    }

    @Test
    void joinsKindsOfNamespacesWithTables() {
        putBooks(100);
        put(
                List.of(
                        Entity.newBuilder()
                                .setKey(key("Archive", "Book", 3))
                                .putProperties("shelf", number(7))
                                .build()));
        run("CREATE TABLE loan (book BIGINT PRIMARY KEY, reader TEXT)");
        run("INSERT INTO loan VALUES (3, 'ada'), (4, 'eve')");
        assertThat(
                        run(
                                "SELECT reader, title, shelf FROM loan JOIN entities.book b ON"
                                    + " b.__id__ = loan.book LEFT JOIN \"entities:Archive\".book a"
                                    + " ON a.__id__ = b.__id__ ORDER BY reader"))
                .isEqualTo("ada|book 3|7 eve|book 4|null");
    }

    @Test
    void refusesKindsWhoseNamesDifferInCaseOnly() {
        putBooks(2);
        put(
                List.of(
                        Entity.newBuilder()
                                .setKey(key("", "book", 3))
                                .putProperties("title", text("small"))
                                .putProperties("Title", text("capital"))
                                .build()));
        assertThat(failure("SELECT count(*) FROM entities.BOOK")).isEqualTo("0A000");
        assertThat(run("SELECT count(*) FROM entities.\"Book\"")).isEqualTo("2");
        assertThat(run("SELECT title_2 FROM entities.\"book\"")).isEqualTo("small");
    }
}
