package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.kv.memory.MemoryStore;
import petrichor.tables.CatalogImage;
import petrichor.tables.IndexBuilds;
import petrichor.tables.TableTransaction;
import petrichor.transactions.databases.RowDatabases;

/**
 * Indexes of tables that are too large for one transaction, or for which others should not wait.
 */
@Timeout(120)
final class OnlineIndexTest {
    private static final int ROWS = 3_000;
    private static final int WRITERS = 3;

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"), Duration.ofHours(1));
    private final SqlSession session = database.connect("ada");

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    private void fill() {
        run(session, "CREATE TABLE city (id INT PRIMARY KEY, name TEXT, country TEXT)");
        run(
                session,
                "INSERT INTO city SELECT x, 'name' || x, 'c' || mod(x, 7) FROM"
                        + " generate_series(1, "
                        + ROWS
                        + ") AS g(x)");
    }

    private List<String> indexes() {
        String found =
                run(
                        session,
                        "SELECT indexname FROM pg_indexes WHERE tablename = 'city' ORDER BY 1");
        return List.of(found.split(" "));
    }

    private void requireAllByIndex() {
        String all = run(session, "SELECT count(*) FROM city");
        assertThat(run(session, "EXPLAIN SELECT count(*) FROM city WHERE name >= ''"))
                .contains("city_name");
        assertThat(run(session, "SELECT count(*) FROM city WHERE name >= ''")).isEqualTo(all);
    }

    @Test
    void writersContinueWhileAnIndexIsBuilt() throws Exception {
        fill();
        AtomicBoolean built = new AtomicBoolean();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                writers.add(threads.submit(() -> write(writer, built)));
            }
            try {
                assertThat(run(session, "CREATE UNIQUE INDEX city_name ON city (name)"))
                        .isEqualTo("CREATE INDEX");
            } finally {
                built.set(true);
            }
            for (Future<Integer> writer : writers) {
                assertThat(writer.get()).isPositive();
            }
        }
        requireAllByIndex();
        assertThat(failure(session, "INSERT INTO city VALUES (0, 'name7', 'x')"))
                .isEqualTo("23505");
    }

    private int write(int writer, AtomicBoolean built) {
        int changes = 0;
        try (SqlSession own = database.connect("writer")) {
            while (!built.get()) {
                int id = 1 + (changes * WRITERS + writer) % ROWS;
                run(own, "UPDATE city SET name = name || '+' WHERE id = $1", id);
                run(own, "DELETE FROM city WHERE id = $1", id);
                run(own, "INSERT INTO city VALUES ($1, $2, 'new')", id, "name" + id);
                changes++;
            }
        }
        return changes;
    }

    @Test
    void concurrentlyIsForTablesOfAnySize() {
        run(session, "CREATE TABLE city (id INT PRIMARY KEY, name TEXT)");
        run(session, "INSERT INTO city VALUES (1, 'Braga')");
        assertThat(run(session, "CREATE INDEX CONCURRENTLY city_name ON city (name)"))
                .isEqualTo("CREATE INDEX");
        requireAllByIndex();
        assertThat(
                        run(
                                session,
                                "CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS city_name ON city"
                                        + " (name)"))
                .isEqualTo("CREATE INDEX");
        assertThat(run(session, "DROP INDEX CONCURRENTLY city_name")).isEqualTo("DROP INDEX");
        assertThat(indexes()).containsExactly("city_pkey");
        run(session, "BEGIN");
        assertThat(failure(session, "CREATE INDEX CONCURRENTLY city_name ON city (name)"))
                .isEqualTo("25001");
        run(session, "ROLLBACK");
    }

    @Test
    void aDuplicateReturnsToTheStateBefore() {
        fill();
        run(session, "UPDATE city SET name = 'name1' WHERE id = 2999");
        for (String statement :
                List.of(
                        "CREATE UNIQUE INDEX city_name ON city (name)",
                        "ALTER TABLE city ADD CONSTRAINT city_name UNIQUE (name)",
                        "CREATE UNIQUE INDEX CONCURRENTLY city_name ON city (name)")) {
            assertThatThrownBy(() -> run(session, statement))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            failed -> assertThat(failed.state()).isEqualTo("23505"))
                    .hasMessageContaining("(name)=(name1)");
            assertThat(indexes()).containsExactly("city_pkey");
        }
        assertThat(database.indexes().builds().running()).isEmpty();
        run(session, "INSERT INTO city VALUES (0, 'name7', 'x')");
        run(session, "DELETE FROM city WHERE id = 2999 OR id = 0");
        run(session, "CREATE UNIQUE INDEX city_name ON city (name)");
        requireAllByIndex();
    }

    @Test
    void uniqueConstraintsOfLargeTables() {
        fill();
        run(session, "ALTER TABLE city ADD CONSTRAINT city_name UNIQUE (name)");
        assertThat(failure(session, "INSERT INTO city VALUES (0, 'name7', 'x')"))
                .isEqualTo("23505");
        assertThat(
                        run(
                                session,
                                "INSERT INTO city VALUES (0, 'name7', 'x') ON CONFLICT (name) DO"
                                        + " NOTHING"))
                .isEqualTo("0");
        run(session, "ALTER TABLE city DROP CONSTRAINT city_name");
        run(session, "INSERT INTO city VALUES (0, 'name7', 'x')");
    }

    @Test
    void smallTablesChangeWithinTheTransaction() {
        run(session, "CREATE TABLE city (id INT PRIMARY KEY, name TEXT)");
        run(session, "INSERT INTO city VALUES (1, 'Braga')");
        run(session, "BEGIN");
        run(session, "CREATE INDEX city_name ON city (name)");
        run(session, "INSERT INTO city VALUES (2, 'Porto')");
        requireAllByIndex();
        run(session, "ROLLBACK");
        assertThat(indexes()).containsExactly("city_pkey");
    }

    /** The index is defined, and the server that builds it has stopped. */
    private void leaveBuild() {
        Block open =
                new Block(database.store(), database.catalogs(), Block.Kind.STATEMENT, false, 0);
        try (open) {
            StatementText statement =
                    StatementText.parse("CREATE INDEX CONCURRENTLY city_name ON city (name)");
            SessionSettings settings = new SessionSettings("ada");
            TemporarySchema temporary = new TemporarySchema();
            IdleSessions idle = new IdleSessions("ada", settings, temporary);
            SchemaChanges changes =
                    new SchemaChanges(session, database, "ada", settings, idle, temporary);
            changes.define(open, statement);
            assertThat(open.builds()).hasSize(1);
            open.commit();
        }
        IndexBuilds left = new IndexBuilds(database.store(), 0);
        assertThat(left.running()).hasSize(1);
        assertThat(left.takeOver(left.running().getFirst())).isTrue();
    }

    @Test
    void anotherServerContinues() throws Exception {
        fill();
        leaveBuild();
        // Queries do not use it yet.
        try (TableTransaction snapshot = database.store().snapshot()) {
            CatalogImage image = database.store().catalog(snapshot);
            assertThat(image.tables().getFirst().indexes().getFirst().readable()).isFalse();
        }
        try (SqlDatabase other = SqlDatabase.open(rows.open("p"), Duration.ofMillis(50));
                SqlSession there = other.connect("bob")) {
            assertThat(run(there, "SELECT count(*) FROM city WHERE name >= ''"))
                    .isEqualTo(Integer.toString(ROWS));
            while (!other.indexes().builds().running().isEmpty()) {
                Thread.onSpinWait();
            }
        }
        requireAllByIndex();
    }

    @Test
    void aTableWhoseIndexIsBuiltIsNotCopied() {
        fill();
        leaveBuild();
        assertThat(failure(session, "ALTER TABLE city ADD COLUMN size INT")).isIn("55006", "");
        run(session, "DROP TABLE city");
        assertThat(failure(session, "SELECT * FROM city")).isEqualTo("42P01");
    }
}
