package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.run;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Statements that look like what is written in another way for the engine, and are not. */
final class RewrittenTextTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    @Test
    void columnsMayHaveNamesOfTypes() {
        run(session, "CREATE TABLE readings (id int PRIMARY KEY, time timestamp, v int)");
        run(session, "INSERT INTO readings VALUES (1, '2024-01-01 00:00:00', 3)");
        run(session, "CREATE TABLE m AS SELECT time, v FROM readings");
        assertThat(run(session, "SELECT time, v FROM m")).isEqualTo("2024-01-01T00:00|3");
        run(
                session,
                "CREATE TABLE e (id int PRIMARY KEY, ts timestamp, a time DEFAULT time"
                        + " '10:00:00')");
        run(session, "ALTER TABLE e ADD time timestamp");
        run(session, "ALTER TABLE e ALTER time SET NOT NULL");
        run(session, "ALTER TABLE e RENAME COLUMN time TO t");
        run(session, "ALTER TABLE e ADD COLUMN IF NOT EXISTS time timestamp");
        run(session, "ALTER TABLE e DROP COLUMN time");
        run(session, "ALTER TABLE e RENAME COLUMN ts TO time");
        run(
                session,
                "INSERT INTO e (id, time, t) VALUES (1, '2024-01-01 00:00:00', '2024-01-02"
                        + " 00:00:00')");
        assertThat(run(session, "SELECT time, a FROM e")).isEqualTo("2024-01-01T00:00|10:00");
        run(session, "ALTER TABLE e ADD COLUMN b time");
        run(session, "ALTER TABLE e ADD c time");
        run(session, "UPDATE e SET b = '10:00:00.123456', c = '10:00:00.123456'");
        assertThat(run(session, "SELECT b, c FROM e")).isEqualTo("10:00:00.123456|10:00:00.123456");
        run(session, "CREATE TABLE p (tags text[2], n int[] DEFAULT ARRAY[1])");
        run(session, "INSERT INTO p (tags) VALUES (ARRAY['x', 'y', 'z'])");
        run(session, "CREATE TABLE x AS SELECT tags[1] AS tag, n FROM p");
        assertThat(run(session, "SELECT tag, n[1] FROM x")).isEqualTo("x|1");
    }
}
