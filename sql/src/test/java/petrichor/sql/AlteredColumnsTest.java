package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.kv.memory.MemoryStore;
import petrichor.tables.StoredIndex;
import petrichor.tables.StoredTable;
import petrichor.tables.TableTransaction;
import petrichor.transactions.databases.RowDatabases;

/** Columns that are added and dropped while the rows stay as they are. */
@Timeout(120)
final class AlteredColumnsTest {
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

    private StoredTable city() {
        try (TableTransaction snapshot = database.store().snapshot()) {
            return database.store().catalog(snapshot).tables().stream()
                    .filter(table -> table.name().equals("city"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static List<Integer> ids(StoredTable table) {
        return table.indexes().stream().map(StoredIndex::id).sorted().toList();
    }

    private void fill() {
        run(session, "CREATE TABLE city (id INT PRIMARY KEY, name TEXT UNIQUE, country TEXT)");
        run(session, "CREATE INDEX city_country ON city (country)");
        run(session, "INSERT INTO city VALUES (1, 'Braga', 'PT'), (2, 'Bergen', 'NO')");
    }

    @Test
    void rowsWithoutAnAddedColumnHaveItsDefault() {
        fill();
        StoredTable before = city();
        run(session, "ALTER TABLE city ADD COLUMN size INT NOT NULL DEFAULT 3 + 4");
        run(session, "ALTER TABLE city ADD COLUMN note TEXT");
        run(session, "ALTER TABLE city ADD COLUMN seen TIMESTAMPTZ DEFAULT now()");
        StoredTable after = city();
        assertThat(after.id()).isEqualTo(before.id());
        assertThat(ids(after)).isEqualTo(ids(before));
        assertThat(run(session, "SELECT id, size, note FROM city ORDER BY id"))
                .isEqualTo("1|7|null 2|7|null");
        assertThat(run(session, "SELECT count(*), count(DISTINCT seen) FROM city"))
                .isEqualTo("2|1");
        run(session, "ALTER TABLE city ALTER COLUMN size SET DEFAULT 9");
        run(session, "INSERT INTO city (id, name, country) VALUES (3, 'Bern', 'CH')");
        run(session, "UPDATE city SET country = 'N' WHERE id = 2");
        assertThat(run(session, "SELECT id, country, size FROM city ORDER BY id"))
                .isEqualTo("1|PT|7 2|N|7 3|CH|9");
        assertThat(run(session, "SELECT id FROM city WHERE name = 'Bergen'")).isEqualTo("2");
        assertThat(run(session, "SELECT id FROM city WHERE country = 'CH'")).isEqualTo("3");
        assertThat(failure(session, "INSERT INTO city VALUES (4, 'Bern', 'x', 1, '', now())"))
                .isEqualTo("23505");
        assertThat(failure(session, "INSERT INTO city VALUES (4, 'Bonn', 'x', null, '', now())"))
                .isEqualTo("23502");
        assertThat(failure(session, "INSERT INTO city VALUES (1, 'Bonn', 'x', 1, '', now())"))
                .isEqualTo("23505");
    }

    @Test
    void anAddedColumnIsNotOneThatWasDropped() {
        fill();
        run(session, "ALTER TABLE city ADD COLUMN size INT DEFAULT 7");
        int id = city().id();
        for (int i = 0; i < 3; i++) {
            run(session, "UPDATE city SET size = 8 WHERE id = 1");
            run(session, "ALTER TABLE city DROP COLUMN size");
            assertThat(run(session, "SELECT * FROM city ORDER BY id"))
                    .isEqualTo("1|Braga|PT 2|Bergen|NO");
            run(session, "ALTER TABLE city ADD COLUMN size TEXT DEFAULT 'big'");
            assertThat(run(session, "SELECT size FROM city")).isEqualTo("big big");
            run(session, "ALTER TABLE city DROP COLUMN size");
            run(session, "ALTER TABLE city ADD COLUMN size INT");
            assertThat(run(session, "SELECT size FROM city")).isEqualTo("null null");
        }
        assertThat(city().id()).isEqualTo(id);
        run(session, "ALTER TABLE city DROP COLUMN country");
        assertThat(
                        run(
                                session,
                                "SELECT indexname FROM pg_indexes WHERE tablename = 'city' ORDER BY"
                                        + " 1"))
                .isEqualTo("city_name_key city_pkey");
        run(session, "ALTER TABLE city RENAME COLUMN name TO title");
        run(session, "ALTER TABLE city RENAME TO town");
        run(session, "ALTER TABLE town ADD COLUMN country TEXT DEFAULT 'EU'");
        assertThat(run(session, "SELECT * FROM town WHERE title = 'Braga'"))
                .isEqualTo("1|Braga|null|EU");
    }

    @Test
    void rowsWithValuesOfTheirOwnAreWritten() {
        fill();
        run(session, "ALTER TABLE city ADD COLUMN number SERIAL");
        run(session, "ALTER TABLE city ADD COLUMN token UUID DEFAULT gen_random_uuid()");
        run(session, "ALTER TABLE city ADD COLUMN label TEXT GENERATED ALWAYS AS (name || '!')");
        assertThat(run(session, "SELECT count(DISTINCT number), count(DISTINCT token) FROM city"))
                .isEqualTo("2|2");
        assertThat(run(session, "SELECT label FROM city ORDER BY id")).isEqualTo("Braga! Bergen!");
        run(session, "ALTER TABLE city ADD COLUMN size INT DEFAULT 7");
        run(session, "ALTER TABLE city ALTER COLUMN size TYPE BIGINT USING size + 1");
        assertThat(run(session, "SELECT size FROM city")).isEqualTo("8 8");
        run(session, "ALTER TABLE city ALTER COLUMN size TYPE TEXT");
        assertThat(run(session, "SELECT size || 'x' FROM city")).isEqualTo("8x 8x");
    }

    @Test
    void existingRowsAreChecked() {
        fill();
        assertThat(failure(session, "ALTER TABLE city ADD COLUMN size INT NOT NULL"))
                .isEqualTo("23502");
        assertThat(
                        failure(
                                session,
                                "ALTER TABLE city ADD COLUMN size INT DEFAULT 0 CHECK (size > 0)"))
                .isEqualTo("23514");
        assertThat(failure(session, "ALTER TABLE city ADD COLUMN size INT DEFAULT 0 UNIQUE"))
                .isEqualTo("23505");
        assertThat(
                        failure(
                                session,
                                "ALTER TABLE city ADD COLUMN size INT DEFAULT 9 REFERENCES city"))
                .isEqualTo("23503");
        assertThat(failure(session, "ALTER TABLE city ADD COLUMN size INT DEFAULT 'x'"))
                .isEqualTo("22P02");
        assertThat(run(session, "SELECT * FROM city ORDER BY id"))
                .isEqualTo("1|Braga|PT 2|Bergen|NO");
        run(session, "ALTER TABLE city ADD COLUMN other INT DEFAULT 9");
        assertThat(failure(session, "ALTER TABLE city ADD FOREIGN KEY (other) REFERENCES city"))
                .isEqualTo("23503");
        run(session, "ALTER TABLE city DROP COLUMN other");
        run(session, "ALTER TABLE city ADD COLUMN size INT DEFAULT 1 REFERENCES city");
        assertThat(failure(session, "DELETE FROM city WHERE id = 1")).isEqualTo("23503");
        run(session, "DELETE FROM city WHERE id = 2");
        run(session, "DELETE FROM city");
        run(session, "ALTER TABLE city ADD COLUMN flag BOOLEAN NOT NULL");
        assertThat(failure(session, "INSERT INTO city (id) VALUES (1)")).isEqualTo("23502");
    }

    @Test
    void aSavepointReturnsToTheFormerColumns() {
        fill();
        run(session, "BEGIN");
        run(session, "UPDATE city SET country = 'x' WHERE id = 1");
        run(session, "SAVEPOINT a");
        run(session, "ALTER TABLE city ADD COLUMN size INT DEFAULT 7");
        run(session, "UPDATE city SET size = 1 WHERE id = 1");
        run(session, "ALTER TABLE city DROP COLUMN country");
        assertThat(run(session, "SELECT * FROM city ORDER BY id"))
                .isEqualTo("1|Braga|1 2|Bergen|7");
        run(session, "ROLLBACK TO SAVEPOINT a");
        assertThat(run(session, "SELECT * FROM city ORDER BY id"))
                .isEqualTo("1|Braga|x 2|Bergen|NO");
        run(session, "ALTER TABLE city ADD COLUMN size INT DEFAULT 3");
        run(session, "COMMIT");
        assertThat(run(session, "SELECT * FROM city ORDER BY id"))
                .isEqualTo("1|Braga|x|3 2|Bergen|NO|3");
    }
}
