package petrichor.movement.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.datastore.v1.ArrayValue;
import com.google.datastore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.replication.ReplicationOwner;
import petrichor.rpc.v1.ReplicaSelection;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;

final class DuckReplicaTest extends FollowingReplica {
    @Test
    void entitiesBecomeRowsOfTheirKindAndFollow() {
        source.put(
                Source.entity("City", "Oslo")
                        .putProperties("people", Source.integer(700))
                        .putProperties("People", Source.text("other case"))
                        .putProperties(
                                "since",
                                Value.newBuilder()
                                        .setTimestampValue(
                                                Timestamp.newBuilder()
                                                        .setSeconds(86_400)
                                                        .setNanos(5_000))
                                        .build())
                        .putProperties(
                                "flag",
                                Value.newBuilder()
                                        .setBlobValue(ByteString.copyFrom(new byte[] {0, -1}))
                                        .build())
                        .putProperties(
                                "tags",
                                Value.newBuilder()
                                        .setArrayValue(
                                                ArrayValue.newBuilder()
                                                        .addValues(Source.text("a\"b"))
                                                        .addValues(Source.integer(1)))
                                        .build()),
                Source.entity("City", "Rome").putProperties("people", Source.integer(3)),
                Source.entity("River", "Po"));
        try (DuckReplica replica = replica()) {
            follow(replica);
            assertThat(
                            query(
                                    "SELECT __name__, people, \"People_2\", since, hex(flag), tags"
                                            + " FROM \"City\" ORDER BY 1"))
                    .containsExactly(
                            "Oslo|700|other case|1970-01-02 00:00:00.000005|00FF|"
                                    + "[\"a\\\"b\",1]",
                            "Rome|3|null|null|null|null");
            assertThat(query("SELECT __key__ FROM River")).containsExactly("River:\"Po\"");

            source.put(
                    Source.entity("City", "Rome")
                            .putProperties(
                                    "people", Value.newBuilder().setDoubleValue(2.5).build()));
            source.delete(Source.entity("City", "Oslo"));
            source.put(Source.entity("City", "Bern").putProperties("new", Source.text("n")));
            follow(replica);
            assertThat(query("SELECT __name__, people, new FROM City ORDER BY 1"))
                    .containsExactly("Bern|null|n", "Rome|2.5|null");

            source.put(
                    Source.entity("City", "Kiel").putProperties("people", Source.text("many")),
                    Source.entity("City", "Wien")
                            .putProperties("people", Source.integer(1L << 60)));
            follow(replica);
            assertThat(query("SELECT __name__, people, typeof(people) FROM City ORDER BY 1"))
                    .containsExactly(
                            "Bern|null|JSON",
                            "Kiel|\"many\"|JSON",
                            "Rome|2.5|JSON",
                            "Wien|1152921504606846976|JSON");
            assertThat(query("SELECT source, complete FROM petrichor.replication"))
                    .containsExactly("p at east|true");
        }
    }

    @Test
    void tablesFollowWithTheirColumns() {
        source.sql(
                "CREATE TABLE item (id INT PRIMARY KEY, name TEXT, price NUMERIC(10,2),"
                        + " sold TIMESTAMPTZ, raw BYTEA, tags TEXT[])",
                "CREATE INDEX ON item (name)",
                "INSERT INTO item VALUES (1, 'a', 1.50, '2026-01-02 03:04:05+00', '\\x00ff',"
                        + " ARRAY['x', 'y']), (2, NULL, NULL, NULL, NULL, NULL)");
        try (DuckReplica replica = replica()) {
            follow(replica);
            assertThat(
                            query(
                                    "SELECT id, name, price, epoch(sold)::BIGINT, hex(raw), tags"
                                            + " FROM public.item ORDER BY id"))
                    .containsExactly(
                            "1|a|1.50|1767323045|00FF|[\"x\",\"y\"]", "2|null|null|null|null|null");

            source.sql(
                    "UPDATE item SET name = 'b' WHERE id = 1",
                    "DELETE FROM item WHERE id = 2",
                    "ALTER TABLE item ADD COLUMN stock INT DEFAULT 7",
                    "INSERT INTO item (id, stock) VALUES (3, 9)",
                    "ALTER TABLE item DROP COLUMN raw",
                    "CREATE TABLE other (note TEXT)",
                    "INSERT INTO other VALUES ('n'), ('n')");
            follow(replica);
            assertThat(query("SELECT id, name, stock FROM public.item ORDER BY id"))
                    .containsExactly("1|b|7", "3|null|9");
            assertThat(query("SELECT count(*) FROM public.other")).containsExactly("2");

            // These need the rows again.
            source.sql(
                    "ALTER TABLE item RENAME COLUMN name TO title",
                    "ALTER TABLE item ALTER COLUMN stock TYPE TEXT",
                    "INSERT INTO item (id, title, stock) VALUES (4, 't', 'lots')",
                    "DROP TABLE other");
            follow(replica);
            assertThat(query("SELECT id, title, stock FROM public.item ORDER BY id"))
                    .containsExactly("1|b|7", "3|null|9", "4|t|lots");
            assertThat(query("SELECT count(*) FROM petrichor.tables")).containsExactly("1");
        }
    }

    @Test
    void rowsThatAreNotTouchedSurviveChangesOfTheirTable() {
        source.sql(
                "CREATE TABLE item (id INT PRIMARY KEY, name TEXT, raw BYTEA)",
                "CREATE TABLE still (id INT PRIMARY KEY)",
                "INSERT INTO item VALUES (1, 'a', NULL), (2, 'b', NULL)",
                "INSERT INTO still VALUES (1)");
        try (DuckReplica replica = replica()) {
            follow(replica);
            for (String change :
                    List.of(
                            "CREATE INDEX by_name ON item (name)",
                            "ALTER TABLE item ADD COLUMN stock INT DEFAULT 7",
                            "ALTER TABLE item DROP COLUMN raw")) {
                long copied = described(replica).getConsistentFrom();
                source.sql(change);
                follow(replica);
                assertThat(query("SELECT id, name FROM public.item ORDER BY id"))
                        .as(change)
                        .containsExactly("1|a", "2|b");
                assertThat(described(replica).getConsistentFrom()).as("copy").isEqualTo(copied);
            }
            assertThat(query("SELECT id, name, stock FROM public.item ORDER BY id"))
                    .containsExactly("1|a|7", "2|b|7");

            // The changes of another table and of an index are in the batches of these.
            source.sql("ALTER TABLE item RENAME COLUMN name TO title", "DROP INDEX by_name");
            follow(replica);
            source.sql("ALTER TABLE item RENAME TO thing");
            follow(replica);
            source.sql("INSERT INTO thing VALUES (3, 'c', 1)");
            follow(replica);
            assertThat(query("SELECT id, title, stock FROM public.thing ORDER BY id"))
                    .containsExactly("1|a|7", "2|b|7", "3|c|1");
            assertThat(query("SELECT id FROM public.still")).containsExactly("1");
            assertThat(query("SELECT table_name FROM petrichor.tables ORDER BY 1"))
                    .containsExactly("still", "thing");
        }
    }

    @Test
    void changesOfATableDuringTheCopyAreReplayed() {
        source.sql(
                "CREATE TABLE item (id INT PRIMARY KEY, name TEXT)",
                "INSERT INTO item VALUES (1, 'a')");
        try (DuckReplica replica = replica()) {
            AtomicBoolean changed = new AtomicBoolean();
            follow(
                    request -> {
                        if (request.hasRange() && !changed.getAndSet(true)) {
                            throw new PetrichorException(
                                    ErrorCode.UNAVAILABLE, "The request is lost.");
                        }
                        if (request.hasBegin()) {
                            ReplicationResponse begun = replica.ask(request);
                            source.sql(
                                    "ALTER TABLE item ADD COLUMN stock INT DEFAULT 7",
                                    "INSERT INTO item VALUES (2, 'b', 8)",
                                    "ALTER TABLE item RENAME COLUMN name TO title",
                                    "CREATE INDEX ON item (title)",
                                    "CREATE TABLE gone (id INT PRIMARY KEY)",
                                    "ALTER TABLE gone ADD COLUMN more INT",
                                    "DROP TABLE gone");
                            return begun;
                        }
                        return replica.ask(request);
                    });
            assertThat(query("SELECT id, title, stock FROM public.item ORDER BY id"))
                    .containsExactly("1|a|7", "2|b|8");
            assertThat(query("SELECT table_name FROM petrichor.tables")).containsExactly("item");
        }
    }

    @Test
    void timesHaveOneForm() {
        source.sql(
                "CREATE TABLE event (id INT PRIMARY KEY, day DATE, sold TIMESTAMP, zoned"
                        + " TIMESTAMPTZ, hour TIME, times TIMESTAMP[])",
                "INSERT INTO event VALUES (1, '12026-01-02', '2026-01-02 03:04:00',"
                        + " '2026-01-02 03:04:05.5+02', '03:04:00', ARRAY[TIMESTAMP"
                        + " '2026-01-02 03:04:00', TIMESTAMP '2026-01-02 03:04:05.120'])");
        source.put(
                Source.entity("Event", "a")
                        .putProperties(
                                "since",
                                Value.newBuilder()
                                        .setTimestampValue(Timestamp.newBuilder().setSeconds(60))
                                        .build()));
        try (DuckReplica replica = replica()) {
            follow(replica);
            source.put(Source.entity("Event", "b").putProperties("since", Source.text("t")));
            source.put(
                    Source.entity("Event", "c")
                            .putProperties(
                                    "since",
                                    Value.newBuilder()
                                            .setTimestampValue(
                                                    Timestamp.newBuilder().setSeconds(60))
                                            .build()));
            follow(replica);
            assertThat(
                            query(
                                    "SELECT day::VARCHAR, sold::VARCHAR, epoch_ms(zoned),"
                                            + " hour::VARCHAR, times FROM public.event"))
                    .containsExactly(
                            "12026-01-02|2026-01-02 03:04:00|1767315845500|03:04:00|"
                                    + "[\"2026-01-02 03:04:00\",\"2026-01-02 03:04:05.12\"]");
            assertThat(query("SELECT since FROM \"Event\" ORDER BY __name__"))
                    .containsExactly("\"1970-01-01 00:01:00\"", "\"t\"", "\"1970-01-01 00:01:00\"");
        }
    }

    @Test
    void selectedAndMaskedEntitiesOnly() {
        source.sql("CREATE TABLE item (id INT PRIMARY KEY)");
        source.put(
                Source.entity("City", "Oslo").putProperties("secret", Source.text("s")),
                Source.entity("River", "Po"));
        ReplicaSelection selection =
                ReplicaSelection.newBuilder().addKinds("City").addMasks("City.secret").build();
        try (DuckReplica replica = replica()) {
            follow(selection, replica);
            assertThat(query("SELECT id FROM petrichor.tables")).containsExactly("kind:City");
            assertThat(query("SELECT source FROM petrichor.columns WHERE source LIKE '%secret%'"))
                    .isEmpty();
        }
    }

    /** Loses requests and answers, and is replaced by a new process now and then. */
    private final class Lossy implements ReplicationOwner, AutoCloseable {
        private final Random chance = new Random(7);
        private DuckReplica replica = replica();

        @Override
        public synchronized ReplicationResponse ask(ReplicationRequest request) {
            int fate = chance.nextInt(10);
            if (fate == 0) {
                throw new PetrichorException(ErrorCode.UNAVAILABLE, "The request is lost.");
            }
            if (fate == 1) {
                replica.close();
                replica = replica();
            }
            ReplicationResponse response = replica.ask(request);
            if (fate == 2) {
                throw new PetrichorException(ErrorCode.UNAVAILABLE, "The answer is lost.");
            }
            return response;
        }

        @Override
        public void close() {
            replica.close();
        }
    }

    @Test
    void transactionsAreAppliedWholeAndOnceOverAFailingLink() {
        for (int i = 0; i < 20; i++) {
            pair(i, 0);
        }
        try (Lossy replica = new Lossy()) {
            Thread writer =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        for (int i = 0; i < 200; i++) {
                                            pair(i % 20, i);
                                        }
                                    });
            follow(replica);
            assertThat(torn(file().toString())).isEmpty();
            join(writer);
            follow(replica);
            assertThat(torn(file().toString())).isEmpty();
            assertThat(query("SELECT count(*), sum(value) FROM \"Left\""))
                    .containsExactly("20|" + (180 + 199) * 20 / 2);
            assertThat(query("SELECT count(*) FROM \"Right\"")).containsExactly("20");
        }
    }

    /** One transaction over two kinds. */
    private static List<String> torn(String database) {
        return query(
                database,
                "SELECT __name__, l.value, r.value FROM \"Left\" l FULL JOIN \"Right\" r"
                        + " USING (__name__) WHERE l.value IS DISTINCT FROM r.value");
    }
}
