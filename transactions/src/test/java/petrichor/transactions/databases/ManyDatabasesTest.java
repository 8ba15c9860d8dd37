package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.transactions.databases.Rows.committed;
import static petrichor.transactions.databases.Rows.put;
import static petrichor.transactions.databases.Rows.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.CommitResult;
import petrichor.transactions.Snapshot;
import petrichor.transactions.TransactionLimits;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.scheduling.Scheduler;
import petrichor.transactions.scheduling.SystemScheduler;

/**
 * A server with many databases has failed, and other servers take all of them over at the same
 * time.
 */
@Timeout(60)
class ManyDatabasesTest {
    private static final int DATABASES = 20;
    private static final int COMMITS = 30;

    @Test
    void manyLogsInOneStoreAreTakenOverAtTheSameTime() throws Exception {
        try (MemoryStore store =
                        MemoryStore.open(
                                MemoryOptions.DEFAULT
                                        .withTier(MemoryOptions.Tier.B)
                                        .withoutViews());
                RowDatabases former = open(store, new HeldScheduler(new TestTime()), 1);
                RowDatabases left = open(store, new SystemScheduler(), 2);
                RowDatabases right = open(store, new SystemScheduler(), 3)) {
            for (int number = 0; number < DATABASES; number++) {
                for (int i = 0; i < COMMITS; i++) {
                    committed(put(former.open("db" + number), "row " + i % 3, "value " + i));
                }
            }
            List<Callable<List<String>>> takeovers = new ArrayList<>();
            for (int number = 0; number < DATABASES; number++) {
                RowDatabases next = number % 2 == 0 ? left : right;
                String name = "db" + number;
                takeovers.add(
                        () -> {
                            RowDatabase database = next.open(name);
                            committed(put(database, "row 3", name));
                            try (Snapshot snapshot = database.snapshot()) {
                                return scan(snapshot, KeyRange.ALL, Direction.FORWARD);
                            }
                        });
            }
            try (ExecutorService threads = Executors.newFixedThreadPool(DATABASES)) {
                List<Future<List<String>>> rows = threads.invokeAll(takeovers);
                for (int number = 0; number < DATABASES; number++) {
                    assertThat(rows.get(number).get())
                            .containsExactly(
                                    "row 0=value 27",
                                    "row 1=value 28",
                                    "row 2=value 29",
                                    "row 3=db" + number);
                }
            }
            for (int number = 0; number < DATABASES; number++) {
                assertThat(put(former.open("db" + number), "row 0", "late").join())
                        .isInstanceOf(CommitResult.Refused.class);
            }
        }
    }

    private static RowDatabases open(MemoryStore store, Scheduler background, long seed) {
        return new RowDatabases(
                RoutedStores.of(store),
                TransactionLimits.DEFAULT,
                TimeSource.SYSTEM,
                new SplittableRandom(seed),
                background);
    }
}
