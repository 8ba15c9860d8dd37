package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.databases.RowDatabases;

/** Files in the format of sqllogictest. */
final class SqlLogicTest {
    @TempDir private Path folder;

    private static LogicTestFile.Outcome run(KeyValueStore store, Path file) throws Exception {
        try (RowDatabases rows = new RowDatabases(store);
                SqlDatabase database = SqlDatabase.open(rows.open("p"));
                SqlSession session = database.connect("ada")) {
            return new LogicTestFile(session, Files.readAllLines(file)).run();
        }
    }

    @Test
    void basicsPass() throws Exception {
        Path file = Path.of(SqlLogicTest.class.getResource("basics.test").toURI());
        try (KeyValueStore memory = MemoryStore.open();
                KeyValueStore disk = RocksStore.open(folder)) {
            for (KeyValueStore store : List.of(memory, disk)) {
                LogicTestFile.Outcome outcome = run(store, file);
                assertThat(outcome.failures()).isEmpty();
                assertThat(outcome.passed()).isEqualTo(12);
            }
        }
    }

    /** Every file of a folder, -Dsqllogictest=FOLDER. */
    @Test
    @Tag("slow")
    void filesOfAFolderPass() throws Exception {
        String given = System.getProperty("sqllogictest", "");
        Path files =
                given.isEmpty()
                        ? Path.of(SqlLogicTest.class.getResource("basics.test").toURI())
                        : Path.of(given);
        int failedMax = Integer.getInteger("failedMax", 0);
        int passed = 0;
        int failed = 0;
        try (Stream<Path> all = Files.walk(files)) {
            for (Path file : all.filter(p -> p.toString().endsWith(".test")).sorted().toList()) {
                try (KeyValueStore store = MemoryStore.open()) {
                    LogicTestFile.Outcome outcome = run(store, file);
                    passed += outcome.passed();
                    failed += outcome.failed();
                    System.out.println(
                            file.getFileName()
                                    + ": "
                                    + outcome.passed()
                                    + " passed, "
                                    + outcome.failed()
                                    + " failed");
                    outcome.failures().forEach(System.out::println);
                }
            }
        }
        assertThat(passed).isPositive();
        assertThat(failed).isLessThanOrEqualTo(failedMax);
    }
}
