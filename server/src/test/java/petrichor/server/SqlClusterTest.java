package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
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
                run(writer, "BEGIN");
                run(writer, "UPDATE city SET name = 'Bra' || 'ga'");
                run(definer, "ALTER TABLE city ADD COLUMN more INT");
                run(writer, "COMMIT");
                run(definer, "ALTER TABLE city DROP COLUMN more");
                run(definer, "ALTER TABLE city ADD COLUMN size INT DEFAULT 7");
                assertThat(query(writer, "SELECT size FROM city")).containsExactly("7");
                run(writer, "ALTER TABLE city DROP COLUMN size");
            }
        }
    }

    private static String failure(SqlSession session, String text) {
        try {
            run(session, text);
            return "";
        } catch (SqlException failed) {
            return failed.state();
        }
    }

    @Test
    void readsAreValidatedOnBothServers() {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews());
                SqlDatabase here = open(cluster, 0);
                SqlDatabase there = open(cluster, 1);
                SqlSession one = here.connect("ada");
                SqlSession other = there.connect("bob")) {
            run(one, "CREATE TABLE city (id INT PRIMARY KEY, size INT)");
            run(one, "CREATE TABLE note (id INT PRIMARY KEY)");
            run(one, "INSERT INTO city VALUES (1, 1), (2, 1), (10, 1)");
            int notes = 0;
            for (SqlSession reader : List.of(one, other)) {
                SqlSession writer = reader == one ? other : one;
                for (String read :
                        List.of(
                                "SELECT size FROM city WHERE id = 1",
                                "SELECT size FROM city WHERE id < 5",
                                "SELECT size FROM city WHERE id = 10")) {
                    run(reader, "BEGIN");
                    run(reader, read);
                    run(writer, "UPDATE city SET size = size + 1 WHERE id = 1");
                    run(reader, "INSERT INTO note VALUES (" + notes + ")");
                    notes++;
                    assertThat(failure(reader, "COMMIT"))
                            .as(read)
                            .isEqualTo(read.endsWith("10") ? "" : "40001");
                }
            }
            assertThat(query(one, "SELECT count(*) FROM note")).containsExactly("2");
        }
    }

    /** A lock of the statement before may be released shortly after its result. */
    @Test
    void rowLocksHoldOnBothServers() throws Exception {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews());
                SqlDatabase here = open(cluster, 0);
                SqlDatabase there = open(cluster, 1);
                SqlSession one = here.connect("ada");
                SqlSession other = there.connect("bob");
                SqlSession third = there.connect("eve");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            run(one, "CREATE TABLE job (id INT PRIMARY KEY, state TEXT)");
            run(one, "INSERT INTO job VALUES (1, 'new'), (2, 'new'), (3, 'new')");
            for (SqlSession owner : List.of(one, other, third)) {
                SqlSession second = owner == one ? other : one;
                run(owner, "BEGIN");
                assertThat(query(owner, "SELECT id FROM job WHERE id = 1 FOR UPDATE"))
                        .containsExactly("1");
                for (SqlSession waiting : List.of(second, owner == third ? other : third)) {
                    assertThat(failure(waiting, "SELECT id FROM job WHERE id = 1 FOR SHARE NOWAIT"))
                            .isEqualTo("55P03");
                    run(waiting, "SET lock_timeout = '20ms'");
                    assertThat(failure(waiting, "SELECT id FROM job WHERE id = 1 FOR UPDATE"))
                            .isEqualTo("55P03");
                    run(waiting, "SET lock_timeout = 0");
                    assertThat(
                                    query(
                                            waiting,
                                            "SELECT id FROM job ORDER BY id LIMIT 1 FOR UPDATE"
                                                    + " SKIP LOCKED"))
                            .containsExactly("2");
                }
                // A lock that is released by a rollback, at once.
                run(second, "BEGIN");
                run(second, "SELECT id FROM job WHERE id = 3 FOR UPDATE");
                assertThat(failure(owner, "SELECT id FROM job WHERE id = 3 FOR UPDATE NOWAIT"))
                        .isEqualTo("55P03");
                run(owner, "ROLLBACK");
                run(second, "ROLLBACK");
                assertThat(query(owner, "SELECT id FROM job WHERE id = 3 FOR UPDATE NOWAIT"))
                        .containsExactly("3");
                // A wait returns the row as it is afterwards, which then is written.
                run(owner, "BEGIN");
                run(second, "BEGIN");
                run(second, "SELECT state FROM job WHERE id = 2");
                run(owner, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
                Future<List<Object>> read =
                        threads.submit(
                                () ->
                                        query(
                                                second,
                                                "SELECT state FROM job WHERE id = 1 FOR UPDATE"));
                run(owner, "UPDATE job SET state = state || '+' WHERE id = 1");
                run(owner, "COMMIT");
                String state = (String) read.get().getFirst();
                assertThat(state).endsWith("+");
                run(second, "UPDATE job SET state = '" + state + "+' WHERE id = 1");
                run(second, "COMMIT");
                assertThat(query(owner, "SELECT state FROM job WHERE id = 1"))
                        .containsExactly(state + "+");
                // What was read before the lock is validated.
                run(second, "BEGIN");
                run(second, "SELECT state FROM job WHERE id = 2");
                run(owner, "UPDATE job SET state = state || '-' WHERE id = 2");
                run(second, "SELECT state FROM job WHERE id = 1 FOR UPDATE");
                run(second, "UPDATE job SET state = 'lost' WHERE id = 1");
                assertThat(failure(second, "COMMIT")).isEqualTo("40001");
                // Taken for its repetition: it locks the rows that the failed one used.
                run(second, "BEGIN");
                assertThat(query(second, "SELECT count(*) FROM job")).containsExactly("3");
                run(second, "COMMIT");
            }
        }
    }

    @Test
    void aCycleOfLocksOfBothServersIsDetected() throws Exception {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews());
                SqlDatabase here = open(cluster, 0);
                SqlDatabase there = open(cluster, 1);
                SqlSession one = here.connect("ada");
                SqlSession other = there.connect("bob");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            run(one, "CREATE TABLE job (id INT PRIMARY KEY, state TEXT)");
            run(one, "INSERT INTO job VALUES (1, 'new'), (2, 'new')");
            run(one, "BEGIN");
            run(other, "BEGIN");
            run(one, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
            run(other, "SELECT id FROM job WHERE id = 2 FOR UPDATE");
            Future<String> first =
                    threads.submit(
                            () -> failure(one, "SELECT id FROM job WHERE id = 2 FOR UPDATE"));
            String second = failure(other, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
            // The one that closes the cycle fails, and the other one continues.
            assertThat(List.of(first.get(), second)).containsExactlyInAnyOrder("", "40P01");
            run(one, "ROLLBACK");
            run(other, "ROLLBACK");
            assertThat(query(one, "SELECT id FROM job FOR UPDATE NOWAIT"))
                    .containsExactly("1", "2");
        }
    }

    @Test
    void aCancelledWaitForALockOfTheOwnerEnds() throws Exception {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews());
                SqlDatabase here = open(cluster, 0);
                SqlDatabase there = open(cluster, 1);
                SqlSession one = here.connect("ada");
                SqlSession other = there.connect("bob")) {
            run(one, "CREATE TABLE job (id INT PRIMARY KEY, state TEXT)");
            run(one, "INSERT INTO job VALUES (1, 'new')");
            for (SqlSession owner : List.of(one, other)) {
                SqlSession waiting = owner == one ? other : one;
                run(owner, "BEGIN");
                run(owner, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
                run(waiting, "SET statement_timeout = '100ms'");
                long began = System.nanoTime();
                assertThat(failure(waiting, "SELECT id FROM job WHERE id = 1 FOR UPDATE"))
                        .isEqualTo("57014");
                assertThat(System.nanoTime() - began)
                        .as("long before its transaction expires")
                        .isLessThan(Duration.ofSeconds(40).toNanos());
                run(waiting, "SET statement_timeout = 0");
                run(owner, "COMMIT");
                assertThat(query(waiting, "SELECT id FROM job WHERE id = 1 FOR UPDATE NOWAIT"))
                        .containsExactly("1");
            }
        }
    }

    @Test
    void aLockThatIsGrantedToACancelledStatementIsReleased() throws Exception {
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews());
                SqlDatabase here = open(cluster, 0);
                SqlDatabase there = open(cluster, 1);
                SqlSession one = here.connect("ada");
                SqlSession other = there.connect("bob");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            run(one, "CREATE TABLE job (id INT PRIMARY KEY, state TEXT)");
            run(one, "INSERT INTO job VALUES (1, 'new')");
            String lock = "SELECT id FROM job WHERE id = 1 FOR UPDATE";
            for (int round = 0; round < 40; round++) {
                SqlSession owner = round % 2 == 0 ? one : other;
                SqlSession waiting = round % 2 == 0 ? other : one;
                run(owner, "BEGIN");
                run(owner, lock);
                CountDownLatch started = new CountDownLatch(1);
                Future<String> ended =
                        threads.submit(
                                () -> {
                                    started.countDown();
                                    return failure(waiting, lock);
                                });
                started.await();
                Future<?> committed = threads.submit(() -> run(owner, "COMMIT"));
                // At the moment of the grant, or before the statement began.
                while (!committed.isDone() && !ended.isDone()) {
                    waiting.cancel();
                }
                committed.get();
                assertThat(ended.get()).isIn("", "57014");
                run(owner, "SET lock_timeout = '20s'");
                assertThat(query(owner, lock)).containsExactly("1");
                run(owner, "SET lock_timeout = 0");
            }
        }
    }

    @Test
    void columnsAreAddedAndDroppedWhileBothServersWrite() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (TestCluster cluster = TestCluster.start(2, MemoryOptions.DEFAULT.withoutViews());
                SqlDatabase here = open(cluster, 0);
                SqlDatabase there = open(cluster, 1);
                SqlSession one = here.connect("ada");
                SqlSession other = there.connect("bob");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            run(one, "CREATE TABLE city (id INT PRIMARY KEY, name TEXT)");
            run(one, "INSERT INTO city SELECT x, '' FROM generate_series(1, " + ROWS + ") AS g(x)");
            List<Future<Integer>> writers = new ArrayList<>();
            writers.add(threads.submit(() -> write(here, 1, done)));
            writers.add(threads.submit(() -> write(there, ROWS / 2, done)));
            try {
                for (int i = 0; i < 10; i++) {
                    SqlSession definer = i % 2 == 0 ? one : other;
                    run(definer, "ALTER TABLE city ADD COLUMN size INT NOT NULL DEFAULT " + i);
                    assertThat(query(one, "SELECT count(*) FROM city WHERE size = " + i))
                            .containsExactly(Integer.toString(ROWS));
                    run(definer, "ALTER TABLE city DROP COLUMN size");
                }
            } finally {
                done.set(true);
            }
            int changes = 0;
            for (Future<Integer> writer : writers) {
                changes += writer.get();
            }
            assertThat(query(other, "SELECT sum(length(name)) FROM city"))
                    .containsExactly(Integer.toString(changes));
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
