package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.transactions.databases.RowDatabases;

final class SqlSessionTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @BeforeEach
    void define() {
        run(
                session,
                "CREATE TABLE city (id INT PRIMARY KEY, name TEXT NOT NULL, country VARCHAR(2),"
                        + " population BIGINT)");
        run(session, "CREATE INDEX city_country ON city (country, population DESC)");
        run(session, "CREATE UNIQUE INDEX city_name ON city (name)");
        run(
                session,
                "INSERT INTO city VALUES (1, 'Berlin', 'DE', 3700000), (2, 'Hamburg', 'DE',"
                        + " 1900000), (3, 'Lyon', 'FR', 520000), (4, 'Atlantis', NULL, NULL)");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    @Test
    void selectsByKeyIndexAndScan() {
        assertThat(run(session, "SELECT name FROM city WHERE id = $1", 2)).isEqualTo("Hamburg");
        assertThat(run(session, "SELECT name FROM city WHERE country = 'DE' ORDER BY population"))
                .isEqualTo("Hamburg Berlin");
        assertThat(run(session, "SELECT id FROM city WHERE name = 'Lyon'")).isEqualTo("3");
        assertThat(run(session, "SELECT id FROM city ORDER BY id DESC")).isEqualTo("4 3 2 1");
        assertThat(run(session, "SELECT id FROM city WHERE id > 1 AND id <= 3 ORDER BY id"))
                .isEqualTo("2 3");
        assertThat(run(session, "SELECT id FROM city WHERE country IS NULL")).isEqualTo("4");
        assertThat(run(session, "SELECT max(id), min(name) FROM city")).isEqualTo("4|Atlantis");
        assertThat(run(session, "SELECT id FROM city ORDER BY country, population DESC"))
                .isEqualTo("1 2 3 4");
    }

    @Test
    void plansUseIndexes() {
        assertThat(run(session, "EXPLAIN SELECT * FROM city WHERE country = 'DE'"))
                .contains("city_country");
        assertThat(run(session, "EXPLAIN SELECT * FROM city WHERE name = 'x'"))
                .contains("city_name");
        assertThat(run(session, "EXPLAIN SELECT * FROM city WHERE id = 1")).doesNotContain("_rows");
    }

    @Test
    void joinsAndAggregates() {
        run(session, "CREATE TABLE country (code VARCHAR(2) PRIMARY KEY, name TEXT)");
        run(session, "INSERT INTO country VALUES ('DE', 'Germany'), ('FR', 'France')");
        assertThat(
                        run(
                                session,
                                "SELECT k.name, count(*), sum(c.population) FROM city c JOIN"
                                        + " country k ON k.code = c.country GROUP BY k.name ORDER"
                                        + " BY 1"))
                .isEqualTo("France|1|520000 Germany|2|5600000");
        assertThat(
                        run(
                                session,
                                "SELECT c.name FROM city c LEFT JOIN country k ON k.code ="
                                        + " c.country WHERE k.code IS NULL"))
                .isEqualTo("Atlantis");
        assertThat(
                        run(
                                session,
                                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                                        + " WHERE i < 4) SELECT sum(i) FROM n"))
                .isEqualTo("10");
        assertThat(
                        run(
                                session,
                                "SELECT name, rank() OVER (PARTITION BY country ORDER BY population"
                                        + " DESC) FROM city WHERE country = 'DE' ORDER BY 2"))
                .isEqualTo("Berlin|1 Hamburg|2");
    }

    @Test
    void changesRowsAndTheirIndexEntries() {
        assertThat(run(session, "UPDATE city SET country = 'FR' WHERE id = 2")).isEqualTo("1");
        assertThat(run(session, "SELECT id FROM city WHERE country = 'DE'")).isEqualTo("1");
        assertThat(run(session, "SELECT id FROM city WHERE country = 'FR' ORDER BY id"))
                .isEqualTo("2 3");
        assertThat(run(session, "UPDATE city SET id = id + 10")).isEqualTo("4");
        assertThat(run(session, "SELECT id FROM city ORDER BY id")).isEqualTo("11 12 13 14");
        assertThat(run(session, "DELETE FROM city WHERE country = 'FR'")).isEqualTo("2");
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("2");
        assertThat(run(session, "TRUNCATE city")).isEqualTo("TRUNCATE TABLE");
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("0");
    }

    @Test
    void aStatementDoesNotSeeItsOwnRows() {
        run(session, "CREATE TABLE log (n INT)");
        run(session, "INSERT INTO log VALUES (1), (2)");
        assertThat(run(session, "INSERT INTO log SELECT n + 10 FROM log")).isEqualTo("2");
        assertThat(run(session, "INSERT INTO log SELECT a.n FROM log a JOIN log b ON a.n = b.n"))
                .isEqualTo("4");
        assertThat(run(session, "SELECT count(*) FROM log")).isEqualTo("8");
    }

    @Test
    void aFailedStatementHasNoEffect() {
        assertThat(
                        failure(
                                session,
                                "INSERT INTO city VALUES (5, 'Rome', 'IT', 1), (1, 'x', 'y', 2)"))
                .isEqualTo("23505");
        assertThat(
                        failure(
                                session,
                                "INSERT INTO city VALUES (5, 'Rome', 'IT', 1), (6, 'Lyon', 'y',"
                                        + " 2)"))
                .isEqualTo("23505");
        assertThat(failure(session, "INSERT INTO city VALUES (5, NULL, 'IT', 1)"))
                .isEqualTo("23502");
        assertThat(failure(session, "INSERT INTO city VALUES (5, 'Rome', 'ITA', 1)"))
                .isEqualTo("22001");
        assertThat(failure(session, "SELECT 1 / 0")).isEqualTo("22012");
        assertThat(failure(session, "SELEC 1")).isEqualTo("42601");
        assertThat(failure(session, "SELECT FROM WHERE")).isEqualTo("42601");
        assertThat(failure(session, "SELECT nothing FROM city")).isEqualTo("42703");
        assertThat(failure(session, "CREATE TABLE city (a INT)")).isEqualTo("42P07");
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("4");
        assertThat(run(session, "SELECT count(*) FROM city WHERE name = 'Rome'")).isEqualTo("0");
    }

    @Test
    void aMissingTableIsReportedWithTheNearestName() {
        assertThatThrownBy(() -> run(session, "SELECT * FROM citty"))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        failed -> {
                            assertThat(failed.state()).isEqualTo("42P01");
                            assertThat(failed.hint()).contains("\"city\"");
                        });
    }

    @Test
    void checksForeignKeys() {
        run(
                session,
                "CREATE TABLE mayor (name TEXT, city INT REFERENCES city (id) ON DELETE CASCADE)");
        run(session, "INSERT INTO mayor VALUES ('Kai', 1)");
        assertThat(failure(session, "INSERT INTO mayor VALUES ('x', 99)")).isEqualTo("23503");
        run(session, "DELETE FROM city WHERE id = 1");
        assertThat(run(session, "SELECT count(*) FROM mayor")).isEqualTo("0");

        run(session, "CREATE TABLE person (id INT PRIMARY KEY, boss INT REFERENCES person (id))");
        run(session, "INSERT INTO person VALUES (1, NULL), (2, 1), (3, 2)");
        assertThat(failure(session, "DELETE FROM person WHERE id = 1")).isEqualTo("23503");
        assertThat(run(session, "SELECT count(*) FROM person")).isEqualTo("3");
    }

    @Test
    void numbersComeFromSequences() {
        run(session, "CREATE TABLE item (id SERIAL PRIMARY KEY, name TEXT)");
        run(session, "INSERT INTO item (name) VALUES ('a'), ('b')");
        assertThat(run(session, "INSERT INTO item (name) VALUES ('c') RETURNING id, name"))
                .isEqualTo("3|c");
        assertThat(run(session, "INSERT INTO item (name) SELECT 'x' FROM SYSTEM_RANGE(1, 100)"))
                .isEqualTo("100");
        assertThat(run(session, "SELECT count(DISTINCT id) FROM item")).isEqualTo("103");
        run(session, "CREATE SEQUENCE s START WITH 10 INCREMENT BY 5");
        assertThat(run(session, "SELECT nextval('s')")).isEqualTo("10");
        assertThat(run(session, "SELECT nextval('s')")).isEqualTo("15");
        run(session, "ALTER SEQUENCE s RESTART WITH 3");
        assertThat(run(session, "SELECT nextval('s')")).isEqualTo("3");
        run(session, "CREATE SEQUENCE short MAXVALUE 2");
        assertThat(run(session, "SELECT nextval('short')")).isEqualTo("1");
        assertThat(run(session, "SELECT nextval('short')")).isEqualTo("2");
        assertThat(failure(session, "SELECT nextval('short')")).isEqualTo("2200H");
    }

    @Test
    void commitsAndRollsBack() {
        assertThat(run(session, "BEGIN")).isEqualTo("BEGIN");
        run(session, "DELETE FROM city WHERE id = 1");
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("3");
        try (SqlSession other = database.connect("bob")) {
            assertThat(run(other, "SELECT count(*) FROM city")).isEqualTo("4");
        }
        run(session, "ROLLBACK");
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("4");
        run(session, "BEGIN");
        run(session, "DELETE FROM city WHERE id = 1");
        assertThat(run(session, "COMMIT")).isEqualTo("COMMIT");
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("3");
    }

    @Test
    void afterAFailureOnlyARollbackIsAccepted() {
        run(session, "BEGIN");
        run(session, "DELETE FROM city WHERE id = 1");
        assertThat(failure(session, "SELECT * FROM missing")).isEqualTo("42P01");
        assertThat(session.transactionStatus()).isEqualTo(TransactionStatus.FAILED);
        assertThat(failure(session, "SELECT 1")).isEqualTo("25P02");
        assertThat(run(session, "COMMIT")).isEqualTo("ROLLBACK");
        assertThat(session.transactionStatus()).isEqualTo(TransactionStatus.IDLE);
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("4");
    }

    @Test
    void returnsToASavepoint() {
        run(session, "BEGIN");
        run(session, "DELETE FROM city WHERE id = 1");
        run(session, "SAVEPOINT a");
        run(session, "CREATE TABLE extra (n INT)");
        run(session, "DELETE FROM city WHERE id = 2");
        assertThat(failure(session, "SELECT * FROM missing")).isEqualTo("42P01");
        run(session, "ROLLBACK TO SAVEPOINT a");
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("3");
        assertThat(failure(session, "SELECT * FROM extra")).isEqualTo("42P01");
        run(session, "ROLLBACK TO a");
        run(session, "RELEASE a");
        run(session, "COMMIT");
        assertThat(run(session, "SELECT id FROM city ORDER BY id")).isEqualTo("2 3 4");
        assertThat(failure(session, "SAVEPOINT a")).isEqualTo("25P01");
    }

    @Test
    void aSchemaChangeIsPartOfItsTransaction() {
        run(session, "BEGIN");
        run(session, "CREATE TABLE extra (n INT PRIMARY KEY)");
        run(session, "INSERT INTO extra VALUES (1)");
        try (SqlSession other = database.connect("bob")) {
            assertThat(failure(other, "SELECT * FROM extra")).isEqualTo("42P01");
        }
        run(session, "ROLLBACK");
        assertThat(failure(session, "SELECT * FROM extra")).isEqualTo("42P01");
        run(session, "BEGIN");
        run(session, "CREATE TABLE extra (n INT PRIMARY KEY)");
        run(session, "INSERT INTO extra VALUES (1)");
        run(session, "COMMIT");
        try (SqlSession other = database.connect("bob")) {
            assertThat(run(other, "SELECT * FROM extra")).isEqualTo("1");
        }
    }

    @Test
    void aConflictIsReportedOnce() {
        try (SqlSession other = database.connect("bob")) {
            run(other, "BEGIN");
            run(other, "SELECT population FROM city WHERE id = 1");
            run(session, "UPDATE city SET population = population + 1 WHERE id = 1");
            run(other, "UPDATE city SET population = population + 1 WHERE id = 2");
            assertThat(failure(other, "COMMIT")).isEqualTo("40001");
            assertThat(other.transactionStatus()).isEqualTo(TransactionStatus.IDLE);
            assertThat(run(other, "SELECT population FROM city WHERE id = 1")).isEqualTo("3700001");
        }
    }

    @Test
    void writeSkewIsAConflict() {
        try (SqlSession other = database.connect("bob")) {
            run(session, "BEGIN");
            run(other, "BEGIN");
            run(session, "SELECT sum(population) FROM city");
            run(other, "SELECT sum(population) FROM city");
            run(session, "UPDATE city SET population = 0 WHERE id = 1");
            run(other, "UPDATE city SET population = 0 WHERE id = 2");
            run(session, "COMMIT");
            assertThat(failure(other, "COMMIT")).isEqualTo("40001");
        }
    }

    @Test
    void writersUnderAnOldSchemaConflict() {
        try (SqlSession other = database.connect("bob")) {
            run(other, "BEGIN");
            run(other, "INSERT INTO city VALUES (9, 'Rome', 'IT', 1)");
            run(session, "CREATE INDEX city_population ON city (population)");
            assertThat(failure(other, "COMMIT")).isEqualTo("40001");
        }
    }

    @Test
    void readOnlyTransactionsRefuseWrites() {
        run(session, "BEGIN READ ONLY");
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("4");
        assertThat(failure(session, "DELETE FROM city")).isEqualTo("25006");
        run(session, "ROLLBACK");
    }

    @Test
    void readsThePast() throws Exception {
        String before;
        try (petrichor.transactions.Snapshot now = rows.open("p").snapshot()) {
            before = Long.toString(now.version());
        }
        run(session, "DELETE FROM city");
        run(session, "DROP INDEX city_name");
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("0");
        assertThat(run(session, "SELECT id FROM city AS OF SYSTEM TIME " + before + " ORDER BY id"))
                .isEqualTo("1 2 3 4");
        run(session, "BEGIN AS OF SYSTEM TIME '" + before + "'");
        assertThat(run(session, "SELECT count(*) FROM city WHERE name = 'Lyon'")).isEqualTo("1");
        run(session, "COMMIT");
    }

    @Test
    void describesStatements() {
        SqlStatement statement =
                session.prepare(
                        "SELECT name, population FROM city WHERE id = $1 AND country = $2",
                        List.of());
        assertThat(statement.parameterTypes().stream().map(ColumnType::type))
                .containsExactly(DataType.INTEGER, DataType.VARCHAR);
        assertThat(statement.columns().stream().map(ResultColumn::name))
                .containsExactly("name", "population");
        assertThat(statement.columns().stream().map(c -> c.type().type()))
                .containsExactly(DataType.TEXT, DataType.BIGINT);
        assertThat(Sessions.shown((StatementResult.Rows) statement.execute(List.of(1, "DE"))))
                .isEqualTo("Berlin|3700000");
        run(session, "ALTER TABLE city ADD COLUMN mayor TEXT");
        assertThat(Sessions.shown((StatementResult.Rows) statement.execute(List.of(1, "DE"))))
                .isEqualTo("Berlin|3700000");
    }

    @Test
    void keepsValuesOfAllTypes() {
        run(
                session,
                "CREATE TABLE v (b BOOLEAN, s SMALLINT, n NUMERIC(10,2), u NUMERIC, r REAL, d"
                        + " DOUBLE PRECISION, c CHAR(5), y BYTEA, dt DATE, tm TIME, ts TIMESTAMP,"
                        + " tz TIMESTAMPTZ, id UUID, j JSONB, a INT ARRAY)");
        run(
                session,
                "INSERT INTO v VALUES (TRUE, 7, 12.50, 1.234567890123456789, 1.5, 2.5, 'ab',"
                    + " X'00ff', DATE '2026-02-03', TIME '10:11:12', TIMESTAMP '2026-02-03"
                    + " 10:11:12.345', TIMESTAMP WITH TIME ZONE '2026-02-03 10:11:12+02',"
                    + " '123e4567-e89b-12d3-a456-426614174000', JSON '{\"a\":1}', ARRAY[1, 2])");
        try (SqlSession other = database.connect("bob")) {
            StatementResult.Rows result = (StatementResult.Rows) other.execute("SELECT * FROM v");
            RowIterator row = result.rows();
            assertThat(row.next()).isTrue();
            assertThat(row.value(0)).isEqualTo(true);
            assertThat(row.value(1)).isEqualTo(7);
            assertThat(row.value(2)).isEqualTo(new BigDecimal("12.50"));
            assertThat(row.value(3)).isEqualTo(new BigDecimal("1.234567890123456789"));
            assertThat(row.value(6)).isEqualTo("ab");
            assertThat((byte[]) row.value(7)).containsExactly(0, 255);
            assertThat(row.value(8)).isEqualTo(LocalDate.of(2026, 2, 3));
            assertThat(row.value(11)).hasToString("2026-02-03T10:11:12+02:00");
            assertThat(row.value(13)).isEqualTo("{\"a\":1}");
            assertThat(row.value(14)).isEqualTo(List.of(1, 2));
            row.close();
        }
    }

    @Test
    void commandsOfTheEngineBelowAreSyntaxErrors() {
        for (String text :
                List.of(
                        "SHUTDOWN",
                        "SCRIPT TO 'x'",
                        "RUNSCRIPT FROM 'x'",
                        "BACKUP TO 'x'",
                        "EXPLAIN SHUTDOWN",
                        "CREATE ALIAS f FOR 'java.lang.System.exit'",
                        "CREATE LINKED TABLE l (NULL, 'x', 'x', 'x', 'x')",
                        "DROP ALL OBJECTS",
                        "ALTER ALIAS f")) {
            assertThat(failure(session, text)).as(text).isEqualTo("42601");
        }
    }

    @Test
    void whatIsNotBuiltIsRefused() {
        for (String text :
                List.of(
                        "CREATE TEMPORARY TABLE t (a INT) ON COMMIT DROP",
                        "CREATE TRIGGER t BEFORE INSERT ON city CALL 'x'",
                        "CREATE TABLE t (a INT) ENGINE 'x'",
                        "CREATE TABLE t (a CLOB)",
                        "CREATE USER u PASSWORD 'x'",
                        "SELECT FILE_READ('/etc/passwd')",
                        "SELECT * FROM CSVREAD('/etc/passwd')",
                        "CREATE TABLE t AS SELECT FILE_READ('/etc/passwd') AS c",
                        "CREATE TABLE t (a TEXT DEFAULT \"FILE_READ\"('/etc/passwd'))",
                        "CREATE VIEW v AS SELECT U&\"FILE\\005fREAD\"('/etc/passwd') AS c",
                        "COMMENT ON TABLE city IS FILE_READ('/etc/passwd')",
                        "CALL 1",
                        "GRANT SELECT ON city TO PUBLIC")) {
            assertThat(failure(session, text)).as(text).isEqualTo("0A000");
        }
    }

    @Test
    void rowsOfSeveralQueriesAreReadSideBySide() {
        run(session, "BEGIN");
        StatementResult.Rows outer =
                (StatementResult.Rows) session.execute("SELECT id FROM city ORDER BY id");
        StringBuilder seen = new StringBuilder();
        try (RowIterator rows = outer.rows()) {
            while (rows.next()) {
                seen.append(run(session, "SELECT name FROM city WHERE id = $1", rows.value(0)));
            }
        }
        assertThat(seen.toString()).isEqualTo("BerlinHamburgLyonAtlantis");
        run(session, "COMMIT");
    }

    @Test
    void implicitBlocksAreOneTransaction() {
        session.beginImplicitBlock();
        run(session, "DELETE FROM city WHERE id = 1");
        assertThat(failure(session, "SELECT 1 / 0")).isEqualTo("22012");
        session.endImplicitBlock();
        assertThat(session.transactionStatus()).isEqualTo(TransactionStatus.IDLE);
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("4");
        session.beginImplicitBlock();
        run(session, "DELETE FROM city WHERE id = 1");
        session.endImplicitBlock();
        assertThat(run(session, "SELECT count(*) FROM city")).isEqualTo("3");
    }

    @Test
    void variablesFollowTheTransaction() {
        assertThat(run(session, "SHOW TIME ZONE")).isEqualTo("UTC");
        run(session, "SET application_name = 'x'");
        assertThat(session.setting("application_name")).isEqualTo("x");
        run(session, "BEGIN");
        run(session, "SET LOCAL statement_timeout = '5s'");
        run(session, "SET TimeZone TO 'Europe/Berlin'");
        run(session, "COMMIT");
        assertThat(session.setting("statement_timeout")).isEqualTo("0");
        assertThat(run(session, "SHOW timezone")).isEqualTo("Europe/Berlin");
        assertThat(failure(session, "SET nonsense = 1")).isEqualTo("42704");
        assertThat(run(session, "SELECT current_user")).isEqualTo("ada");
    }
}
