package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Transactions that are open while the catalog changes. */
@Timeout(300)
final class TwoCatalogVersionsTest {
    private static final int RANDOM_RUNS = 40;
    private static final int RANDOM_STEPS = 60;

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession definer = database.connect("ada");
    private final SqlSession writer = database.connect("bob");

    @AfterEach
    void close() {
        writer.close();
        definer.close();
        database.close();
        rows.close();
        store.close();
    }

    private void fill() {
        run(definer, "CREATE TABLE country (id INT PRIMARY KEY)");
        run(definer, "CREATE TABLE city (id INT PRIMARY KEY, name TEXT NOT NULL, country INT)");
        run(definer, "CREATE INDEX city_name ON city (name)");
        run(definer, "CREATE SEQUENCE s");
        run(definer, "ALTER TABLE city ADD CONSTRAINT named CHECK (name <> '')");
        run(definer, "INSERT INTO city VALUES (1, 'Braga', 1), (2, 'Bergen', 2)");
        run(definer, "CREATE DOMAIN positive AS INT");
    }

    private void write() {
        run(writer, "BEGIN");
        run(writer, "UPDATE city SET name = name || '+' WHERE id = 1");
        run(writer, "INSERT INTO city (id, name, country) VALUES (3, 'Bern', 3)");
    }

    /** Takes no locks, for which a change that writes or deletes all rows would wait. */
    private void insert() {
        run(writer, "BEGIN");
        run(writer, "INSERT INTO city (id, name, country) VALUES (3, 'Bern', 3)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE city ADD COLUMN size INT",
                "ALTER TABLE city ADD COLUMN size INT NOT NULL DEFAULT 7",
                "ALTER TABLE city DROP COLUMN country",
                "ALTER TABLE city RENAME TO town",
                "ALTER TABLE city RENAME COLUMN name TO title",
                "ALTER TABLE city ALTER COLUMN country SET DEFAULT 7",
                "ALTER TABLE city ALTER COLUMN name DROP NOT NULL",
                "ALTER TABLE city DROP CONSTRAINT named",
                "CREATE TABLE other (id INT PRIMARY KEY CHECK (id > 0), name TEXT UNIQUE)",
                "CREATE TEMP TABLE other (id SERIAL)",
                "CREATE VIEW named AS SELECT name FROM city",
                "CREATE SCHEMA other",
                "CREATE SEQUENCE other",
                "COMMENT ON TABLE city IS 'x'",
            })
    void anOpenTransactionCommits(String change) {
        fill();
        write();
        run(definer, change);
        run(writer, "INSERT INTO city VALUES (4, 'Bonn', 4)");
        run(writer, "COMMIT");
        String name = change.contains("town") ? "town" : "city";
        assertThat(run(definer, "SELECT count(*) FROM " + name)).isEqualTo("4");
        String title = change.contains("title") ? "title" : "name";
        assertThat(run(definer, "SELECT id FROM " + name + " WHERE " + title + " = 'Braga+'"))
                .isEqualTo("1");
        if (change.contains("size INT NOT")) {
            assertThat(run(definer, "SELECT size FROM city")).isEqualTo("7 7 7 7");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE city ADD COLUMN size INT UNIQUE",
                "ALTER TABLE city ADD COLUMN size INT CHECK (size > 0)",
                "ALTER TABLE city ADD COLUMN size INT REFERENCES country",
                "ALTER TABLE city ADD CHECK (country > 0)",
                "ALTER TABLE city ALTER COLUMN country SET NOT NULL",
                "ALTER TABLE city DROP COLUMN name",
                "CREATE UNIQUE INDEX other ON city (country)",
                "DROP INDEX city_name",
                "CREATE TABLE other (id INT REFERENCES city)",
                "ALTER DOMAIN positive ADD CHECK (VALUE > 0)",
                "DROP SEQUENCE s",
            })
    void anOpenTransactionFails(String change) {
        fill();
        run(definer, "UPDATE city SET country = NULL WHERE id = 1");
        run(definer, "UPDATE city SET country = 8 WHERE id = 1");
        write();
        run(definer, change);
        assertThat(failure(writer, "COMMIT")).isEqualTo("40001");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ALTER TABLE city ADD COLUMN size SERIAL",
                "ALTER TABLE city ALTER COLUMN country TYPE BIGINT",
                "DROP TABLE city",
            })
    void anOpenTransactionFailsIfAllRowsChange(String change) {
        fill();
        insert();
        run(definer, change);
        assertThat(failure(writer, "COMMIT")).isEqualTo("40001");
    }

    @Test
    void aTransactionIsAtMostOneVersionBehind() {
        fill();
        write();
        run(definer, "ALTER TABLE city ADD COLUMN size INT");
        run(definer, "ALTER TABLE city ADD COLUMN note INT");
        assertThat(failure(writer, "COMMIT")).isEqualTo("40001");
        // The repetition has precedence for rows, but does not make schema changes wait.
        write();
        run(definer, "BEGIN");
        run(definer, "ALTER TABLE city DROP COLUMN size");
        run(definer, "ALTER TABLE city DROP COLUMN note");
        run(definer, "COMMIT");
        assertThat(failure(writer, "COMMIT")).isEqualTo("40001");
        assertThat(run(definer, "SELECT count(*) FROM city")).isEqualTo("2");
    }

    @Test
    void aRowThatIsReadAgainIsNotOfANewerVersion() {
        fill();
        write();
        run(definer, "ALTER TABLE city ADD COLUMN size INT");
        run(definer, "UPDATE city SET size = 9 WHERE id = 2");
        assertThat(failure(writer, "SELECT * FROM city WHERE id = 2 FOR UPDATE"))
                .isEqualTo("40001");
        run(writer, "ROLLBACK");
        assertThat(run(definer, "SELECT size FROM city WHERE id = 2")).isEqualTo("9");
    }

    @ParameterizedTest
    @CsvSource({"ALTER TABLE city ADD COLUMN size INT", "ALTER TABLE city DROP COLUMN country"})
    void twoChangesAtATimeConflict(String change) {
        fill();
        run(writer, "BEGIN");
        run(writer, "CREATE TABLE other (id INT)");
        run(definer, change);
        assertThat(failure(writer, "COMMIT")).isEqualTo("40001");
    }

    /** Rows by id, values by column; a column that a row lacks has its default. */
    private static final class Model {
        private final TreeMap<Integer, Map<String, Integer>> rows = new TreeMap<>();
        private final TreeMap<String, Integer> defaults = new TreeMap<>();

        Model copy() {
            Model copy = new Model();
            rows.forEach((id, values) -> copy.rows.put(id, new HashMap<>(values)));
            copy.defaults.putAll(defaults);
            return copy;
        }

        String shown() {
            List<String> shown = new ArrayList<>();
            rows.forEach(
                    (id, values) -> {
                        StringBuilder row = new StringBuilder(id.toString());
                        defaults.forEach(
                                (column, missing) ->
                                        row.append('|')
                                                .append(values.getOrDefault(column, missing)));
                        shown.add(row.toString());
                    });
            return String.join(" ", shown);
        }

        String columns() {
            return defaults.isEmpty() ? "id" : "id, " + String.join(", ", defaults.keySet());
        }
    }

    /** A change of rows that a transaction has made, to be repeated in the model at its commit. */
    private record Change(int id, Consumer<Model> effect) {
        void apply(Model model) {
            effect.accept(model);
        }
    }

    /** An open transaction: the state that it sees, and what it has changed. */
    private static final class Open {
        private final SqlSession session;
        private final Model before;
        private final Model seen;
        private final List<Change> changes = new ArrayList<>();

        Open(SqlSession session, Model seen) {
            this.session = session;
            this.before = seen.copy();
            this.seen = seen;
        }

        void change(int id, Consumer<Model> effect) {
            Change change = new Change(id, effect);
            changes.add(change);
            change.apply(seen);
        }

        /** A row that it has inserted and deleted is none of its writes. */
        void commitTo(Model model) {
            for (Change change : changes) {
                if (before.rows.containsKey(change.id()) || seen.rows.containsKey(change.id())) {
                    change.apply(model);
                }
            }
        }
    }

    private final Model committed = new Model();
    private int nextColumn;
    private int commits;
    private int conflicts;

    @Test
    void randomChangesOfRowsAndColumnsAgreeWithAModel() {
        for (int seed = 0; seed < RANDOM_RUNS; seed++) {
            randomRun(seed);
        }
        assertThat(commits).isGreaterThan(RANDOM_RUNS);
        assertThat(conflicts).isPositive();
    }

    private void randomRun(int seed) {
        Random random = new Random(seed);
        run(definer, "CREATE TABLE t (id INT PRIMARY KEY)");
        committed.rows.clear();
        committed.defaults.clear();
        List<Open> open = new ArrayList<>();
        for (int step = 0; step < RANDOM_STEPS; step++) {
            int choice = random.nextInt(10);
            if (choice < 2 && open.size() < 3) {
                SqlSession session = database.connect("w");
                run(session, "SET lock_timeout = '5ms'");
                run(session, "BEGIN");
                run(session, "SELECT 1 FROM t WHERE id = -1");
                open.add(new Open(session, committed.copy()));
            } else if (choice < 4) {
                alter(random);
            } else if (choice < 8 && !open.isEmpty()) {
                Open one = open.get(random.nextInt(open.size()));
                if (!write(one, random)) {
                    run(one.session, "ROLLBACK");
                    one.session.close();
                    open.remove(one);
                }
            } else if (!open.isEmpty()) {
                commit(open.remove(random.nextInt(open.size())));
            }
            assertThat(run(definer, "SELECT " + committed.columns() + " FROM t ORDER BY id"))
                    .as("seed %s step %s", seed, step)
                    .isEqualTo(committed.shown());
        }
        open.forEach(one -> one.session.close());
        run(definer, "DROP TABLE t");
    }

    private void alter(Random random) {
        List<String> columns = List.copyOf(committed.defaults.keySet());
        if (columns.size() < 4 && (columns.isEmpty() || random.nextBoolean())) {
            String name = "c" + nextColumn++;
            int missing = random.nextInt(100);
            run(definer, "ALTER TABLE t ADD COLUMN " + name + " INT NOT NULL DEFAULT " + missing);
            committed.defaults.put(name, missing);
        } else {
            String name = columns.get(random.nextInt(columns.size()));
            run(definer, "ALTER TABLE t DROP COLUMN " + name);
            committed.defaults.remove(name);
        }
    }

    /** Returns false if another transaction has locked or changed the row. */
    private static boolean write(Open one, Random random) {
        int id = random.nextInt(6);
        int value = random.nextInt(1000);
        List<String> columns = List.copyOf(one.seen.defaults.keySet());
        String column = columns.isEmpty() ? null : columns.get(random.nextInt(columns.size()));
        boolean exists = one.seen.rows.containsKey(id);
        if (!exists) {
            String names = column == null ? "id" : "id, " + column;
            String values = column == null ? "" + id : id + ", " + value;
            run(one.session, "INSERT INTO t (" + names + ") VALUES (" + values + ")");
            Map<String, Integer> row = new HashMap<>(one.seen.defaults);
            if (column != null) {
                row.put(column, value);
            }
            one.change(id, model -> model.rows.put(id, new HashMap<>(row)));
        } else if (column == null || random.nextInt(4) == 0) {
            if (conflicts(one, "DELETE FROM t WHERE id = " + id)) {
                return false;
            }
            one.change(id, model -> model.rows.remove(id));
        } else {
            if (conflicts(one, "UPDATE t SET " + column + " = " + value + " WHERE id = " + id)) {
                return false;
            }
            one.change(
                    id,
                    model -> {
                        Map<String, Integer> row = model.rows.get(id);
                        if (row != null) {
                            row.put(column, value);
                        }
                    });
        }
        assertThat(run(one.session, "SELECT " + one.seen.columns() + " FROM t ORDER BY id"))
                .isEqualTo(one.seen.shown());
        return true;
    }

    /** A row that has changed is not read again under a newer catalog. */
    private static boolean conflicts(Open one, String change) {
        String failed = failure(one.session, change);
        assertThat(failed).isIn("", "55P03", "40001");
        return !failed.isEmpty();
    }

    private void commit(Open one) {
        if (failure(one.session, "COMMIT").isEmpty()) {
            one.commitTo(committed);
            commits++;
        } else {
            conflicts++;
        }
        one.session.close();
    }
}
