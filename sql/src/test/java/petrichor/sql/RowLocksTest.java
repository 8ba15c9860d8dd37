package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** SELECT … FOR UPDATE and the like lock rows. */
@Timeout(60)
final class RowLocksTest {
    private final KeyValueStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession ada = database.connect("ada");
    private final SqlSession ben = database.connect("ben");
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @BeforeEach
    void jobs() {
        run(ada, "CREATE TABLE job (id INT PRIMARY KEY, state TEXT, due INT)");
        run(ada, "INSERT INTO job VALUES (1, 'new', 30), (2, 'new', 20), (3, 'new', 10)");
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        ada.close();
        ben.close();
        database.close();
        rows.close();
        store.close();
    }

    private void awaitWaiter() {
        while (rows.open("p").metrics().lockWaits() == 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private Future<String> later(SqlSession session, String text) {
        Future<String> done = threads.submit(() -> run(session, text));
        awaitWaiter();
        return done;
    }

    @Test
    void aLockedRowIsNotAvailableToOthers() {
        run(ada, "BEGIN");
        assertThat(run(ada, "SELECT id FROM job WHERE id = 1 FOR UPDATE")).isEqualTo("1");
        assertThat(failure(ben, "SELECT id FROM job WHERE id = 1 FOR UPDATE NOWAIT"))
                .isEqualTo("55P03");
        assertThat(failure(ben, "SELECT id FROM job WHERE id = 1 FOR SHARE NOWAIT"))
                .isEqualTo("55P03");
        assertThat(run(ben, "SELECT id FROM job WHERE id = 2 FOR UPDATE NOWAIT")).isEqualTo("2");
        assertThat(run(ben, "SELECT id FROM job WHERE id = 1")).isEqualTo("1");
        run(ada, "COMMIT");
        assertThat(run(ben, "SELECT id FROM job WHERE id = 1 FOR UPDATE NOWAIT")).isEqualTo("1");
    }

    @Test
    void sharedLocksAreCompatible() {
        run(ada, "BEGIN");
        run(ben, "BEGIN");
        assertThat(run(ada, "SELECT id FROM job WHERE id = 1 FOR SHARE")).isEqualTo("1");
        assertThat(run(ben, "SELECT id FROM job WHERE id = 1 FOR KEY SHARE NOWAIT")).isEqualTo("1");
        assertThat(failure(ben, "SELECT id FROM job WHERE id = 1 FOR NO KEY UPDATE NOWAIT"))
                .isEqualTo("55P03");
    }

    @Test
    void aWaitReadsTheRowAsItIsAfterwards() throws Exception {
        run(ada, "BEGIN");
        run(ada, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
        run(ben, "BEGIN");
        assertThat(run(ben, "SELECT state FROM job WHERE id = 2")).isEqualTo("new");
        Future<String> read = later(ben, "SELECT state FROM job WHERE id = 1 FOR UPDATE");
        run(ada, "UPDATE job SET state = 'mine' WHERE id = 1");
        run(ada, "COMMIT");
        assertThat(read.get()).isEqualTo("mine");
        assertThat(run(ben, "UPDATE job SET state = state || '!' WHERE id = 1")).isEqualTo("1");
        run(ben, "COMMIT");
        assertThat(run(ada, "SELECT state FROM job WHERE id = 1")).isEqualTo("mine!");
    }

    @Test
    void aRowThatNoLongerQualifiesAfterTheWaitIsNotReturned() throws Exception {
        run(ada, "BEGIN");
        run(ada, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
        Future<String> read =
                later(ben, "SELECT id FROM job WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE");
        run(ada, "UPDATE job SET state = 'done' WHERE id = 1");
        run(ada, "COMMIT");
        assertThat(read.get()).isEqualTo("2");
    }

    @Test
    void aLockedRowCanBeWrittenWithoutConflict() throws Exception {
        run(ada, "BEGIN");
        run(ada, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
        Future<String> other =
                threads.submit(() -> run(ben, "UPDATE job SET due = due + 1 WHERE id = 1"));
        awaitWaiter();
        run(ada, "UPDATE job SET due = due + 10 WHERE id = 1");
        run(ada, "COMMIT");
        assertThat(other.get()).isEqualTo("1");
        assertThat(run(ada, "SELECT due FROM job WHERE id = 1")).isEqualTo("41");
    }

    @Test
    void anEarlierReadThatChangedIsAConflict() {
        run(ada, "BEGIN");
        assertThat(run(ada, "SELECT state FROM job WHERE id = 2")).isEqualTo("new");
        run(ben, "UPDATE job SET state = 'done' WHERE id = 2");
        run(ada, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
        run(ada, "UPDATE job SET state = 'done' WHERE id = 1");
        assertThat(failure(ada, "COMMIT")).isEqualTo("40001");
    }

    @Test
    void skipsLockedRowsInTheOrderOfTheResult() {
        String take = "SELECT id FROM job WHERE state = 'new' ORDER BY due LIMIT 1 FOR UPDATE";
        run(ada, "BEGIN");
        assertThat(run(ada, take)).isEqualTo("3");
        run(ben, "BEGIN");
        assertThat(run(ben, take + " SKIP LOCKED")).isEqualTo("2");
        try (SqlSession eve = database.connect("eve")) {
            assertThat(run(eve, take + " SKIP LOCKED")).isEqualTo("1");
            assertThat(
                            run(
                                    eve,
                                    "UPDATE job SET state = 'eve' WHERE id = (SELECT id FROM job"
                                            + " WHERE state = 'new' ORDER BY due FETCH FIRST ROW"
                                            + " ONLY FOR UPDATE SKIP LOCKED) RETURNING id"))
                    .isEqualTo("1");
            assertThat(
                            run(
                                    eve,
                                    "WITH next AS (SELECT id FROM job WHERE state = $1 ORDER BY due"
                                            + " LIMIT $2 FOR UPDATE SKIP LOCKED) UPDATE job SET"
                                            + " state = 'x' WHERE id IN (SELECT id FROM next)",
                                    "new",
                                    5))
                    .isEqualTo("0");
            assertThat(run(eve, take.replace("LIMIT 1", "LIMIT 2") + " SKIP LOCKED")).isEmpty();
        }
        run(ada, "COMMIT");
        assertThat(run(ben, "SELECT id FROM job ORDER BY due LIMIT 2 FOR UPDATE")).isEqualTo("3 2");
        run(ben, "COMMIT");
    }

    @Test
    void locksOnlyTheTablesAfterOf() {
        run(ada, "CREATE TABLE kind (id INT PRIMARY KEY, name TEXT)");
        run(ada, "INSERT INTO kind VALUES (30, 'slow')");
        run(ada, "BEGIN");
        String join = "SELECT j.id FROM job AS j JOIN kind k ON k.id = j.due FOR UPDATE OF j";
        assertThat(run(ada, join)).isEqualTo("1");
        assertThat(run(ben, "SELECT id FROM kind FOR UPDATE NOWAIT")).isEqualTo("30");
        assertThat(failure(ben, "SELECT id FROM job FOR UPDATE NOWAIT")).isEqualTo("55P03");
        assertThat(failure(ben, "SELECT id FROM job FOR UPDATE OF missing")).isEqualTo("42P01");
    }

    @Test
    void aDeadlockIsDetected() throws Exception {
        run(ada, "BEGIN");
        run(ben, "BEGIN");
        run(ada, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
        run(ben, "SELECT id FROM job WHERE id = 2 FOR UPDATE");
        Future<String> waiting = later(ada, "SELECT id FROM job WHERE id = 2 FOR UPDATE");
        assertThat(failure(ben, "SELECT id FROM job WHERE id = 1 FOR UPDATE")).isEqualTo("40P01");
        assertThat(waiting.get()).isEqualTo("2");
        assertThat(failure(ben, "SELECT 1")).isEqualTo("25P02");
    }

    @Test
    void waitsEndAtTheirLimits() throws Exception {
        run(ada, "BEGIN");
        run(ada, "SELECT id FROM job WHERE id = 1 FOR UPDATE");
        String wait = "SELECT id FROM job WHERE id = 1 FOR UPDATE";
        run(ben, "SET lock_timeout = '20ms'");
        assertThat(failure(ben, wait)).isEqualTo("55P03");
        run(ben, "SET lock_timeout = 0");
        run(ben, "SET statement_timeout = 20");
        assertThat(failure(ben, wait)).isEqualTo("57014");
        run(ben, "RESET statement_timeout");
        Future<String> cancelled = threads.submit(() -> failure(ben, wait));
        awaitWaiter();
        ben.cancel();
        assertThat(cancelled.get()).isEqualTo("57014");
        assertThat(failure(ben, "SET lock_timeout = 'soon'")).isEqualTo("22023");
    }

    @Test
    void aStatementEndsAtItsTimeout() {
        run(ada, "INSERT INTO job SELECT x, 'more', x FROM system_range(10, 3000) AS r(x)");
        run(ada, "SET statement_timeout = '50ms'");
        assertThat(
                        failure(
                                ada,
                                "SELECT count(*) FROM job a, job b, job c WHERE a.due + b.due <"
                                        + " c.due"))
                .isEqualTo("57014");
    }

    @Test
    void locksAreRefusedWhereTheyMeanNothing() {
        run(ada, "BEGIN READ ONLY");
        assertThat(failure(ada, "SELECT id FROM job FOR UPDATE")).isEqualTo("25006");
        run(ada, "ROLLBACK");
        assertThat(failure(ada, "SELECT id FROM job FOR UPDATE AS OF SYSTEM TIME '-1s'"))
                .isEqualTo("0A000");
        assertThat(failure(ada, "SELECT id FROM (SELECT id FROM job) AS j FOR UPDATE"))
                .isEqualTo("0A000");
        try (SqlSession reader = database.connect("reader", SqlRights.READ)) {
            assertThat(failure(reader, "SELECT id FROM job FOR UPDATE")).isEqualTo("42501");
        }
    }

    @Test
    void oneStatementTakesAJob() throws Exception {
        run(ada, "DELETE FROM job");
        run(ada, "INSERT INTO job SELECT x, 'new', 1000 - x FROM system_range(1, 200) AS r(x)");
        long conflicts = rows.open("p").metrics().conflicts();
        String take =
                "UPDATE job SET state = 'done' WHERE id = (SELECT id FROM job WHERE state = 'new'"
                        + " ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id";
        List<Callable<Integer>> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            workers.add(
                    () -> {
                        int done = 0;
                        try (SqlSession worker = database.connect("worker")) {
                            while (!run(worker, take).isEmpty()) {
                                done++;
                            }
                        }
                        return done;
                    });
        }
        int done = 0;
        for (Future<Integer> worker : threads.invokeAll(workers)) {
            done += worker.get();
        }
        assertThat(done).isEqualTo(200);
        assertThat(run(ada, "SELECT count(*) FROM job WHERE state = 'done'")).isEqualTo("200");
        assertThat(rows.open("p").metrics().conflicts()).isEqualTo(conflicts);
    }

    @Test
    void workersTakeDifferentJobsWithoutConflicts() throws Exception {
        run(ada, "DELETE FROM job");
        run(ada, "INSERT INTO job SELECT x, 'new', 1000 - x FROM system_range(1, 200) AS r(x)");
        long conflicts = rows.open("p").metrics().conflicts();
        Set<String> taken = new ConcurrentSkipListSet<>();
        List<Callable<Integer>> workers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            workers.add(() -> work(taken));
        }
        int done = 0;
        for (Future<Integer> worker : threads.invokeAll(workers)) {
            done += worker.get();
        }
        assertThat(done).isEqualTo(200);
        assertThat(taken).hasSize(200);
        assertThat(rows.open("p").metrics().conflicts()).isEqualTo(conflicts);
        assertThat(run(ada, "SELECT count(*) FROM job WHERE state = 'done'")).isEqualTo("200");
    }

    private int work(Set<String> taken) {
        int done = 0;
        try (SqlSession worker = database.connect("worker")) {
            while (true) {
                run(worker, "BEGIN");
                String id =
                        run(
                                worker,
                                "SELECT id FROM job WHERE state = 'new' ORDER BY due LIMIT 1 FOR"
                                        + " UPDATE SKIP LOCKED");
                if (!id.isEmpty()) {
                    run(
                            worker,
                            "UPDATE job SET state = 'done' WHERE id = $1",
                            Integer.parseInt(id));
                    taken.add(id);
                    done++;
                }
                run(worker, "COMMIT");
                if (id.isEmpty()
                        && run(worker, "SELECT count(*) FROM job WHERE state = 'new'")
                                .equals("0")) {
                    return done;
                }
            }
        }
    }

    @Test
    void transactionsThatChangeARowQueue() throws Exception {
        run(ben, "BEGIN");
        assertThat(run(ben, "SELECT due FROM job WHERE id = 2")).isEqualTo("20");
        run(ada, "BEGIN");
        run(ada, "UPDATE job SET due = due + 1 WHERE id = 1");
        Future<String> changed = later(ben, "UPDATE job SET due = due + 1 WHERE id = 1");
        run(ada, "COMMIT");
        assertThat(changed.get()).isEqualTo("1");
        run(ben, "COMMIT");
        assertThat(run(ada, "SELECT due FROM job WHERE id = 1")).isEqualTo("32");
    }

    @Test
    void aRowThatIsRemovedWhileAnotherWaitsIsNotChanged() throws Exception {
        run(ada, "BEGIN");
        run(ada, "DELETE FROM job WHERE id = 1");
        run(ben, "BEGIN");
        Future<String> changed = later(ben, "UPDATE job SET due = 0 WHERE id <= 2");
        run(ada, "COMMIT");
        assertThat(changed.get()).isEqualTo("1");
        run(ben, "COMMIT");
        assertThat(run(ada, "SELECT id, due FROM job ORDER BY id")).isEqualTo("2|0 3|10");
    }

    @Test
    void whatWasReadBeforeTheWaitIsStillValidated() throws Exception {
        run(ben, "BEGIN");
        assertThat(run(ben, "SELECT due FROM job WHERE id = 2")).isEqualTo("20");
        run(ada, "BEGIN");
        run(ada, "UPDATE job SET due = due + 1 WHERE id IN (1, 2)");
        Future<String> changed = later(ben, "UPDATE job SET due = due + 1 WHERE id = 1");
        run(ada, "COMMIT");
        assertThat(changed.get()).isEqualTo("1");
        assertThat(failure(ben, "COMMIT")).isEqualTo("40001");
    }

    @Test
    void changesInOppositeOrderAreADeadlock() throws Exception {
        run(ada, "BEGIN");
        run(ben, "BEGIN");
        run(ada, "UPDATE job SET due = 1 WHERE id = 1");
        run(ben, "UPDATE job SET due = 2 WHERE id = 2");
        Future<String> waits = later(ada, "UPDATE job SET due = 1 WHERE id = 2");
        assertThat(failure(ben, "UPDATE job SET due = 2 WHERE id = 1")).isEqualTo("40P01");
        assertThat(waits.get()).isEqualTo("1");
        run(ada, "COMMIT");
        assertThat(run(ada, "SELECT id, due FROM job ORDER BY id")).isEqualTo("1|1 2|1 3|10");
    }

    @Test
    void theRepetitionOfAConflictHasPrecedenceForItsRows() {
        run(ben, "BEGIN");
        assertThat(run(ben, "SELECT due FROM job WHERE id = 1")).isEqualTo("30");
        run(ben, "UPDATE job SET due = 0 WHERE id = 2");
        run(ada, "UPDATE job SET due = 31 WHERE id = 1");
        assertThat(failure(ben, "COMMIT")).isEqualTo("40001");
        // Drivers send a ROLLBACK, as a message of its own, before they repeat.
        ben.beginImplicitBlock();
        run(ben, "ROLLBACK");
        ben.endImplicitBlock();
        run(ben, "BEGIN");
        run(ben, "UPDATE job SET due = 0 WHERE id = 2");
        assertThat(failure(ada, "SELECT id FROM job WHERE id = 1 FOR UPDATE NOWAIT"))
                .isEqualTo("55P03");
        run(ben, "COMMIT");
        assertThat(run(ada, "SELECT id FROM job WHERE id = 1 FOR UPDATE NOWAIT")).isEqualTo("1");
    }
}
