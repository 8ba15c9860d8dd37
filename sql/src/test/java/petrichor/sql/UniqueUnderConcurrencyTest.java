package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.databases.RowDatabases;

/** Many sessions insert and update the same values of unique columns. */
final class UniqueUnderConcurrencyTest {
    private static final int SESSIONS = 8;
    private static final int KEYS = 40;

    @TempDir private Path folder;

    @Test
    void inMemory() throws Exception {
        try (KeyValueStore store = MemoryStore.open()) {
            race(store);
        }
    }

    @Test
    void inRocksDb() throws Exception {
        try (KeyValueStore store = RocksStore.open(folder)) {
            race(store);
        }
    }

    private static void race(KeyValueStore store) throws Exception {
        try (RowDatabases rows = new RowDatabases(store);
                SqlDatabase database = SqlDatabase.open(rows.open("p"));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            try (SqlSession session = database.connect("ada")) {
                run(session, "CREATE TABLE account (id SERIAL PRIMARY KEY, email TEXT, owner INT)");
                run(session, "CREATE UNIQUE INDEX account_email ON account (email)");
            }
            List<Callable<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < SESSIONS; i++) {
                int owner = i;
                tasks.add(() -> insertAll(database, owner));
            }
            int inserted = 0;
            for (Future<Integer> done : threads.invokeAll(tasks)) {
                inserted += done.get();
            }
            assertThat(inserted).isEqualTo(KEYS);
            try (SqlSession session = database.connect("ada")) {
                assertThat(run(session, "SELECT count(*), count(DISTINCT email) FROM account"))
                        .isEqualTo(KEYS + "|" + KEYS);
                // Through the index, entry by entry, as well as through the rows.
                assertThat(run(session, "SELECT count(*) FROM account WHERE email >= ''"))
                        .isEqualTo(Integer.toString(KEYS));
            }
        }
    }

    private static int insertAll(SqlDatabase database, int owner) {
        int inserted = 0;
        try (SqlSession session = database.connect("user" + owner)) {
            for (int key = 0; key < KEYS; key++) {
                String state =
                        Sessions.failure(
                                session,
                                "INSERT INTO account (email, owner) VALUES ($1, $2)",
                                "mail" + key,
                                owner);
                assertThat(state).isIn("", "23505");
                inserted += state.isEmpty() ? 1 : 0;
            }
        }
        return inserted;
    }
}
