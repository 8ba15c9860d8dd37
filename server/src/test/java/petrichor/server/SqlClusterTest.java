package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.kv.memory.MemoryOptions;
import petrichor.sql.RowIterator;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlException;
import petrichor.sql.SqlSession;
import petrichor.sql.StatementResult;

/** SQL on two servers over one store: one owns the database, the other one sends it its commits. */
@Timeout(240)
final class SqlClusterTest {
    private static final String NAME = "shop";
    private static final int ROWS = 2_500;
    private static final int NUMBERS = 200;

    private static SqlDatabase open(TestCluster cluster, int server) {
        return SqlDatabase.open(cluster.node(server).data().routed().open(NAME));
    }

    private static List<Object> query(SqlSession session, String text, Object... parameters) {
        List<Object> values = new ArrayList<>();
        if (session.execute(text, parameters) instanceof StatementResult.Rows found) {
            try (RowIterator rows = found.rows()) {
                while (rows.next()) {
                    values.add(String.valueOf(rows.value(0)));
                }
            }
        }
        return values;
    }

    private static void run(SqlSession session, String text, Object... parameters) {
        List<Object> _ = query(session, text, parameters);
    }

    @Test
    void aSchemaChangeOnOneServerHoldsOnTheOther() {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews());
                SqlDatabase here = open(cluster, 0);
                SqlDatabase there = open(cluster, 1);
                SqlSession one = here.connect("ada");
                SqlSession other = there.connect("bob")) {
            run(one, "CREATE TABLE city (id INT PRIMARY KEY, name TEXT)");
            run(other, "INSERT INTO city VALUES (1, 'Braga')");
            run(other, "CREATE SEQUENCE s");
            run(one, "CREATE SEQUENCE r");
            assertThat(query(one, "SELECT name FROM city")).containsExactly("Braga");
            for (SqlSession writer : List.of(one, other)) {
                SqlSession definer = writer == one ? other : one;
                run(writer, "BEGIN");
                run(writer, "UPDATE city SET name = 'stale'");
                run(definer, "CREATE INDEX city_name ON city (name)");
                assertThatThrownBy(() -> run(writer, "COMMIT"))
                        .isInstanceOfSatisfying(
                                SqlException.class,
                                failed -> assertThat(failed.state()).isEqualTo("40001"));
                assertThat(query(writer, "SELECT name FROM city WHERE name >= ''"))
                        .containsExactly("Braga");
                run(writer, "DROP INDEX city_name");
                run(definer, "ALTER TABLE city ADD COLUMN size INT DEFAULT 7");
                assertThat(query(writer, "SELECT size FROM city")).containsExactly("7");
                run(writer, "ALTER TABLE city DROP COLUMN size");
            }
        }
    }

    @Test
    void anIndexIsBuiltWhileBothServersWrite() throws Exception {
        AtomicBoolean built = new AtomicBoolean();
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews());
                SqlDatabase here = open(cluster, 0);
                SqlDatabase there = open(cluster, 1);
                SqlSession one = here.connect("ada");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            run(one, "CREATE TABLE city (id INT PRIMARY KEY, name TEXT)");
            run(
                    one,
                    "INSERT INTO city SELECT x, 'n' || x FROM generate_series(1, "
                            + ROWS
                            + ") AS g(x)");
            List<Future<Integer>> writers = new ArrayList<>();
            writers.add(threads.submit(() -> write(here, 1, built)));
            writers.add(threads.submit(() -> write(there, ROWS / 2, built)));
            try {
                try (SqlSession other = there.connect("bob")) {
                    run(other, "CREATE UNIQUE INDEX city_name ON city (name)");
                }
            } finally {
                built.set(true);
            }
            for (Future<Integer> writer : writers) {
                assertThat(writer.get()).isPositive();
            }
            assertThat(query(one, "SELECT count(*) FROM city WHERE name >= ''"))
                    .containsExactly(Integer.toString(ROWS));
            assertThat(query(one, "SELECT count(DISTINCT name) FROM city"))
                    .containsExactly(Integer.toString(ROWS));
        }
    }

    private static int write(SqlDatabase database, int from, AtomicBoolean built) {
        int changes = 0;
        try (SqlSession session = database.connect("writer")) {
            while (!built.get()) {
                int id = from + changes % (ROWS / 2 - 1);
                run(session, "UPDATE city SET name = name || '+' WHERE id = $1", id);
                changes++;
            }
        }
        return changes;
    }

    @Test
    void noNumberIsGivenTwice() throws Exception {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews());
                SqlDatabase here = open(cluster, 0);
                SqlDatabase there = open(cluster, 1);
                SqlDatabase again = open(cluster, 1);
                SqlSession one = here.connect("ada");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            run(one, "CREATE TABLE item (id SERIAL, note TEXT)");
            run(one, "CREATE SEQUENCE s");
            List<Callable<List<Object>>> tasks = new ArrayList<>();
            // The third one starts without the blocks of the second, as after a crash.
            for (SqlDatabase database : List.of(here, there, again)) {
                tasks.add(() -> numbers(database));
            }
            List<Object> all = new ArrayList<>();
            for (Future<List<Object>> done : threads.invokeAll(tasks)) {
                all.addAll(done.get());
            }
            Set<Object> different = new HashSet<>(all);
            assertThat(different).hasSize(tasks.size() * NUMBERS).hasSize(all.size());
            assertThat(query(one, "SELECT count(DISTINCT id) FROM item"))
                    .containsExactly(Integer.toString(tasks.size()));
        }
    }

    private static List<Object> numbers(SqlDatabase database) {
        List<Object> numbers = new ArrayList<>();
        try (SqlSession session = database.connect("writer")) {
            run(session, "INSERT INTO item (note) VALUES ('x')");
            for (int i = 0; i < NUMBERS; i++) {
                numbers.addAll(query(session, "SELECT nextval('s')"));
            }
        }
        return numbers;
    }
}
