package petrichor.transactions.databases;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.TimeSource;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.KeyValueStore;
import petrichor.kv.Scan;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.TransactionLimits;

/** A store with the database "test", which can be closed and reopened. */
final class TestBench implements AutoCloseable {
    private final TestTime time = new TestTime();
    private final TimeSource clock;
    private final TransactionLimits limits;
    private final @Nullable Path folder;
    private KeyValueStore store;
    private RowDatabases databases;

    private TestBench(TestStore kind, TransactionLimits limits, boolean realTime) {
        this.limits = limits;
        this.clock = realTime ? TimeSource.SYSTEM : time;
        this.folder = kind == TestStore.ROCKSDB ? temporaryFolder() : null;
        this.store =
                switch (kind) {
                    case MEMORY_WITH_VIEWS,
                            MEMORY_WITHOUT_VIEWS,
                            MEMORY_WITH_LOG,
                            MEMORY_WITH_PLAIN_LOG ->
                            MemoryStore.open(kind.options());
                    case ROCKSDB -> RocksStore.open(requireFolder());
                };
        this.databases = openDatabases();
    }

    static TestBench open(TestStore kind) {
        return new TestBench(kind, TransactionLimits.DEFAULT, false);
    }

    static TestBench open(TestStore kind, TransactionLimits limits) {
        return new TestBench(kind, limits, false);
    }

    static TestBench withRealTime(TestStore kind) {
        return new TestBench(kind, TransactionLimits.DEFAULT, true);
    }

    private RowDatabases openDatabases() {
        return new RowDatabases(store, limits, clock, new SplittableRandom(7));
    }

    TestTime time() {
        return time;
    }

    KeyValueStore store() {
        return store;
    }

    RowDatabases databases() {
        return databases;
    }

    RowDatabase database() {
        return databases.open("test");
    }

    /** Closes everything and reopens it on the rows that the store has kept. */
    void reopen() {
        databases.close();
        if (store instanceof MemoryStore memory) {
            store = memory.reopen();
        } else {
            store.close();
            store = RocksStore.open(requireFolder());
        }
        databases = openDatabases();
    }

    int historyRows() {
        int rows = 0;
        // With a log, the rows may not be applied yet.
        assertThat(database().appliedVersion()).isPositive();
        try (Scan scan =
                store.scan("history", KeyRange.ALL, Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                rows++;
            }
        }
        return rows;
    }

    @Override
    public void close() {
        databases.close();
        store.close();
        if (folder != null) {
            delete(folder);
        }
    }

    private Path requireFolder() {
        if (folder == null) {
            throw new IllegalStateException("only stores on disk have a folder");
        }
        return folder;
    }

    private static Path temporaryFolder() {
        try {
            return Files.createTempDirectory("transactions");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
