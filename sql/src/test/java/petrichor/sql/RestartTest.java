package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.KeyValueStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.databases.RowDatabases;

/** Definitions, rows and sequences are found again after a restart. */
final class RestartTest {
    @TempDir private Path folder;

    private interface Use {
        void use(SqlSession session);
    }

    private void open(Use use) throws Exception {
        try (KeyValueStore store = RocksStore.open(folder);
                RowDatabases rows = new RowDatabases(store);
                SqlDatabase database = SqlDatabase.open(rows.open("p"));
                SqlSession session = database.connect("ada")) {
            use.use(session);
        }
    }

    @Test
    void everythingIsThere() throws Exception {
        open(
                session -> {
                    run(session, "CREATE SCHEMA shop");
                    run(session, "CREATE DOMAIN percent AS INT CHECK (VALUE BETWEEN 0 AND 100)");
                    run(
                            session,
                            "CREATE TABLE shop.item (id SERIAL PRIMARY KEY, name TEXT UNIQUE,"
                                    + " price NUMERIC(8,2) DEFAULT 1.50, discount percent)");
                    run(
                            session,
                            "CREATE TABLE orders (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY"
                                    + " KEY, item INT NOT NULL REFERENCES shop.item (id), CHECK"
                                    + " (item > 0))");
                    run(
                            session,
                            "CREATE VIEW sold AS SELECT i.name FROM shop.item i JOIN orders o"
                                    + " ON o.item = i.id");
                    run(session, "CREATE VIEW top AS SELECT * FROM sold");
                    run(session, "CREATE SEQUENCE s");
                    run(session, "SELECT nextval('s')");
                    run(session, "INSERT INTO shop.item (name) VALUES ('pen'), ('ink')");
                    run(session, "INSERT INTO orders (item) VALUES (1)");
                    run(session, "COMMENT ON TABLE orders IS 'what was sold'");
                });
        open(
                session -> {
                    assertThat(run(session, "SELECT * FROM top")).isEqualTo("pen");
                    assertThat(run(session, "SELECT price FROM shop.item WHERE name = 'ink'"))
                            .isEqualTo("1.50");
                    assertThat(failure(session, "INSERT INTO shop.item (name) VALUES ('pen')"))
                            .isEqualTo("23505");
                    assertThat(failure(session, "INSERT INTO orders (item) VALUES (9)"))
                            .isEqualTo("23503");
                    assertThat(
                                    failure(
                                            session,
                                            "INSERT INTO shop.item (name, discount) VALUES ('x',"
                                                    + " 101)"))
                            .isEqualTo("23514");
                    run(session, "INSERT INTO shop.item (name) VALUES ('paper')");
                    assertThat(run(session, "SELECT count(DISTINCT id) FROM shop.item"))
                            .isEqualTo("3");
                    assertThat(Long.parseLong(run(session, "SELECT nextval('s')")))
                            .isGreaterThan(1);
                    run(session, "ALTER TABLE shop.item ADD COLUMN color TEXT DEFAULT 'black'");
                    run(session, "ALTER TABLE shop.item RENAME COLUMN name TO title");
                    run(session, "ALTER TABLE orders RENAME TO sales");
                });
        open(
                session -> {
                    assertThat(run(session, "SELECT title, color FROM shop.item WHERE id = 1"))
                            .isEqualTo("pen|black");
                    assertThat(run(session, "SELECT count(*) FROM sales")).isEqualTo("1");
                    assertThat(failure(session, "DROP TABLE shop.item")).isEqualTo("2BP01");
                    run(session, "DROP VIEW top");
                    run(session, "DROP TABLE sales CASCADE");
                });
        open(
                session -> {
                    assertThat(failure(session, "SELECT * FROM sales")).isEqualTo("42P01");
                    assertThat(failure(session, "SELECT * FROM top")).isEqualTo("42P01");
                    assertThat(run(session, "SELECT count(*) FROM shop.item")).isEqualTo("3");
                });
    }
}
