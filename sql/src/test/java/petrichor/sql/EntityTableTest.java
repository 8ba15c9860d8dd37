package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.TransactionOptions;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Kinds as tables, next to the Datastore API on the same database. */
final class EntityTableTest {
    private static final String PROJECT = "shop";

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final Datastore datastore = new Datastore(rows, TimeSource.SYSTEM);
    private final SqlDatabase database = SqlDatabase.open(rows.open(PROJECT));
    private final SqlSession session = database.connect("ada");

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    private static Value text(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }

    private static Value number(long value) {
        return Value.newBuilder().setIntegerValue(value).build();
    }

    private static Key.Builder key(String namespace) {
        return Key.newBuilder()
                .setPartitionId(
                        PartitionId.newBuilder().setProjectId(PROJECT).setNamespaceId(namespace));
    }

    private static Key.PathElement element(String kind, long id) {
        return Key.PathElement.newBuilder().setKind(kind).setId(id).build();
    }

    private static Entity.Builder book(long id, String title, long year) {
        return Entity.newBuilder()
                .setKey(key("").addPath(element("Book", id)))
                .putProperties("title", text(title))
                .putProperties("publishedIn", number(year));
    }

    private void put(Entity.Builder... entities) {
        CommitRequest.Builder request =
                CommitRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (Entity.Builder entity : entities) {
            request.addMutations(Mutation.newBuilder().setUpsert(entity));
        }
        datastore.commit(request.build()).join();
    }

    private List<Entity> query(String kind, String property, Value value) {
        Query query =
                Query.newBuilder()
                        .addKind(KindExpression.newBuilder().setName(kind))
                        .setFilter(
                                Filter.newBuilder()
                                        .setPropertyFilter(
                                                PropertyFilter.newBuilder()
                                                        .setProperty(
                                                                PropertyReference.newBuilder()
                                                                        .setName(property))
                                                        .setOp(PropertyFilter.Operator.EQUAL)
                                                        .setValue(value)))
                        .build();
        List<Entity> found = new ArrayList<>();
        datastore
                .runQuery(
                        RunQueryRequest.newBuilder().setProjectId(PROJECT).setQuery(query).build())
                .hits()
                .forEach(
                        hit -> {
                            try {
                                found.add(Entity.parseFrom(hit.entity()));
                            } catch (InvalidProtocolBufferException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        return found;
    }

    @Test
    void entitiesAreLocked() {
        put(book(1, "Emma", 1815), book(2, "Persuasion", 1817));
        String take =
                "SELECT __id__ FROM entities.book ORDER BY \"publishedIn\" LIMIT 1 FOR UPDATE";
        run(session, "BEGIN");
        assertThat(run(session, take)).isEqualTo("1");
        try (SqlSession other = database.connect("other")) {
            assertThat(run(other, take + " SKIP LOCKED")).isEqualTo("2");
            assertThat(failure(other, take + " NOWAIT")).isEqualTo("55P03");
            run(session, "UPDATE entities.book SET title = 'Emma!' WHERE __id__ = 1");
            run(session, "COMMIT");
            assertThat(run(other, take + " NOWAIT")).isEqualTo("1");
        }
    }

    @Test
    void readsEntitiesOfEveryType() {
        Entity.Builder all =
                book(1, "Emma", 1815)
                        .putProperties("price", Value.newBuilder().setDoubleValue(9.5).build())
                        .putProperties("sold", Value.newBuilder().setBooleanValue(true).build())
                        .putProperties(
                                "cover",
                                Value.newBuilder()
                                        .setBlobValue(ByteString.copyFrom(new byte[] {1, 2}))
                                        .build())
                        .putProperties(
                                "added",
                                Value.newBuilder()
                                        .setTimestampValue(Timestamp.newBuilder().setSeconds(60))
                                        .build())
                        .putProperties(
                                "tags",
                                Value.newBuilder()
                                        .setArrayValue(
                                                ArrayValue.newBuilder()
                                                        .addValues(text("novel"))
                                                        .addValues(text("classic")))
                                        .build())
                        .putProperties(
                                "author",
                                Value.newBuilder()
                                        .setKeyValue(
                                                key("").addPath(
                                                                Key.PathElement.newBuilder()
                                                                        .setKind("Author")
                                                                        .setName("Austen's")))
                                        .build())
                        .putProperties(
                                "missing",
                                Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build());
        put(all);
        assertThat(
                        run(
                                session,
                                "SELECT \"__key__\", __id__, title, publishedin, price, sold,"
                                        + " author, missing FROM entities.Book"))
                .isEqualTo("KEY(Book, 1)|1|Emma|1815|9.5|true|KEY(Author, 'Austen''s')|null");
        assertThat(run(session, "SELECT tags[1], cardinality(tags) FROM entities.book"))
                .isEqualTo("novel|2");
        assertThat(run(session, "SELECT added FROM entities.book"))
                .isEqualTo(OffsetDateTime.parse("1970-01-01T00:01Z").toString());
        assertThat(run(session, "SELECT __json__ FROM entities.\"Book\""))
                .contains(
                        "\"tags\":[\"novel\",\"classic\"]",
                        "\"author\":\"KEY(Author, 'Austen''s')\"");
        assertThat(run(session, "SELECT title FROM entities.book WHERE __key__ = 'KEY(Book, 1)'"))
                .isEqualTo("Emma");
        assertThat(run(session, "SELECT title FROM entities.book WHERE __key__ = 'KEY(Book, 2)'"))
                .isEmpty();
    }

    @Test
    void sqlAndDatastoreSeeTheSameEntitiesAndIndexes() {
        put(book(1, "Emma", 1815));
        assertThat(
                        run(
                                session,
                                "INSERT INTO entities.book (__id__, title, publishedin) VALUES (2,"
                                        + " 'Persuasion', 1817)"))
                .isEqualTo("1");
        assertThat(query("Book", "title", text("Persuasion")))
                .containsExactly(book(2, "Persuasion", 1817).build());
        assertThat(run(session, "UPDATE entities.book SET title = 'P.' WHERE __id__ = 2"))
                .isEqualTo("1");
        assertThat(query("Book", "title", text("Persuasion"))).isEmpty();
        assertThat(query("Book", "title", text("P."))).hasSize(1);
        assertThat(run(session, "DELETE FROM entities.book WHERE publishedin = 1817"))
                .isEqualTo("1");
        assertThat(query("Book", "title", text("P."))).isEmpty();
        assertThat(
                        failure(
                                session,
                                "INSERT INTO entities.book (__id__, title) VALUES (1, 'again')"))
                .isEqualTo(SqlState.UNIQUE_VIOLATION);
    }

    @Test
    void oneTransactionWritesTablesAndEntities() {
        put(book(1, "Emma", 1815));
        run(session, "CREATE TABLE loan (book TEXT PRIMARY KEY, reader TEXT)");
        run(session, "BEGIN");
        run(session, "INSERT INTO loan VALUES ('KEY(Book, 1)', 'ada')");
        run(session, "UPDATE entities.book SET title = 'Lent' WHERE __key__ = 'KEY(Book, 1)'");
        assertThat(
                        run(
                                session,
                                "SELECT reader, title FROM loan JOIN entities.book b ON b.__key__ ="
                                        + " loan.book"))
                .isEqualTo("ada|Lent");
        run(session, "ROLLBACK");
        assertThat(query("Book", "title", text("Emma"))).hasSize(1);
        assertThat(run(session, "SELECT count(*) FROM loan")).isEqualTo("0");
    }

    @Test
    void aTransactionConflictsWithAConcurrentCommitOfTheDatastoreApi() {
        put(book(1, "Emma", 1815), book(2, "Persuasion", 1817));
        run(session, "BEGIN");
        run(session, "UPDATE entities.book SET publishedin = 1 WHERE __id__ = 1");
        put(book(1, "changed", 1900));
        assertThat(failure(session, "COMMIT")).isEqualTo(SqlState.SERIALIZATION_FAILURE);
        assertThat(run(session, "SELECT publishedin FROM entities.book WHERE __id__ = 1"))
                .isEqualTo("1900");
    }

    @Test
    void aTransactionThatCountedAKindConflictsWithANewEntity() {
        put(book(1, "Emma", 1815));
        run(session, "CREATE TABLE report (books BIGINT)");
        run(session, "BEGIN");
        run(session, "INSERT INTO report SELECT count(*) FROM entities.book");
        put(book(2, "Persuasion", 1817));
        assertThat(failure(session, "COMMIT")).isEqualTo(SqlState.SERIALIZATION_FAILURE);
    }

    @Test
    void aDatastoreTransactionConflictsWithAStatement() {
        put(book(1, "Emma", 1815));
        ByteString transaction =
                datastore
                        .beginTransaction(
                                BeginTransactionRequest.newBuilder()
                                        .setProjectId(PROJECT)
                                        .setTransactionOptions(
                                                TransactionOptions.newBuilder()
                                                        .setReadWrite(
                                                                TransactionOptions.ReadWrite
                                                                        .getDefaultInstance()))
                                        .build())
                        .getTransaction();
        Key key = book(1, "", 0).getKey();
        datastore.lookup(
                LookupRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setReadOptions(ReadOptions.newBuilder().setTransaction(transaction))
                        .addKeys(key)
                        .build());
        run(session, "UPDATE entities.book SET title = 'changed'");
        CommitRequest commit =
                CommitRequest.newBuilder()
                        .setProjectId(PROJECT)
                        .setMode(CommitRequest.Mode.TRANSACTIONAL)
                        .setTransaction(transaction)
                        .addMutations(Mutation.newBuilder().setUpsert(book(1, "lost", 0)))
                        .build();
        assertThat(datastore.commit(commit).handle((_, failed) -> failed != null).join()).isTrue();
        assertThat(run(session, "SELECT title FROM entities.book")).isEqualTo("changed");
    }

    @Test
    void namespacesAndAncestors() {
        Entity.Builder page =
                Entity.newBuilder()
                        .setKey(
                                key("tenant")
                                        .addPath(element("Book", 1))
                                        .addPath(element("Page", 7)))
                        .putProperties("text", text("It is a truth"));
        put(page);
        assertThat(
                        run(
                                session,
                                "SELECT __key__, __parent__, __ancestors__ FROM"
                                        + " \"entities:tenant\".page"))
                .isEqualTo("KEY(Book, 1, Page, 7)|KEY(Book, 1)|[KEY(Book, 1)]");
        assertThat(
                        run(
                                session,
                                "INSERT INTO \"entities:tenant\".page (__parent__, __name__, text)"
                                        + " VALUES ('KEY(Book, 1)', 'last', 'The end')"))
                .isEqualTo("1");
        assertThat(
                        run(
                                session,
                                "SELECT __key__ FROM \"entities:tenant\".page WHERE 'KEY(Book, 1)'"
                                        + " = ANY(__ancestors__) ORDER BY __key__"))
                .isEqualTo("KEY(Book, 1, Page, 'last') KEY(Book, 1, Page, 7)");
        assertThat(failure(session, "SELECT * FROM entities.page"))
                .isEqualTo(SqlState.UNDEFINED_TABLE);
    }

    @Test
    void columnsFollowTheValues() {
        put(book(1, "Emma", 1815));
        assertThat(run(session, "SELECT publishedin + 1 FROM entities.book")).isEqualTo("1816");
        put(book(2, "Undated", 0).putProperties("publishedIn", text("unknown")));
        // Columns are as old as two seconds, unless a value does not fit.
        String state = failure(session, "SELECT publishedin FROM entities.book");
        assertThat(state).isIn("", SqlState.SERIALIZATION_FAILURE);
        assertThat(run(session, "SELECT publishedin FROM entities.book ORDER BY __id__"))
                .isEqualTo("1815 \"unknown\"");
    }

    @Test
    void keepsTypesAndIndexingOfUnchangedProperties() {
        Entity.Builder stored =
                book(1, "Emma", 1815)
                        .putProperties(
                                "summary",
                                Value.newBuilder()
                                        .setStringValue("long")
                                        .setExcludeFromIndexes(true)
                                        .build());
        put(stored);
        run(session, "UPDATE entities.book SET publishedin = 1816");
        Entity now = query("Book", "title", text("Emma")).getFirst();
        assertThat(now).isEqualTo(stored.putProperties("publishedIn", number(1816)).build());
        run(session, "UPDATE entities.book SET summary = 'longer'");
        assertThat(query("Book", "summary", text("longer"))).isEmpty();
    }

    @Test
    void whatCannotChangeIsRefused() {
        put(book(1, "Emma", 1815));
        assertThat(failure(session, "UPDATE entities.book SET __id__ = 2"))
                .isEqualTo(SqlState.FEATURE_NOT_SUPPORTED);
        assertThat(failure(session, "UPDATE entities.book SET __json__ = '{}'"))
                .isEqualTo(SqlState.FEATURE_NOT_SUPPORTED);
        assertThat(failure(session, "DROP TABLE entities.book")).isNotEmpty();
        assertThat(failure(session, "TRUNCATE TABLE entities.book")).isNotEmpty();
        assertThat(failure(session, "ALTER TABLE entities.book ADD COLUMN x INT")).isNotEmpty();
        assertThat(failure(session, "CREATE INDEX i ON entities.book (title)")).isNotEmpty();
        assertThat(failure(session, "CREATE TABLE entities.shelf (id INT)")).isNotEmpty();
        assertThat(query("Book", "title", text("Emma"))).hasSize(1);
    }
}
