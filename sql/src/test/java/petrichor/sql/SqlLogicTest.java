package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
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

    private static LogicTestFile.Outcome run(KeyValueStore store, Path file, String name)
            throws Exception {
        try (RowDatabases rows = new RowDatabases(store);
                SqlDatabase database = SqlDatabase.open(rows.open(name));
                SqlSession session = database.connect("ada")) {
            return new LogicTestFile(LogicTestEngines.of(session), Files.readAllLines(file)).run();
        }
    }

    /** With tables of H2's own, and the same settings. */
    private static LogicTestFile.Outcome runNative(Path file) throws Exception {
        String url =
                "jdbc:h2:mem:;MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH"
                        + ";NON_KEYWORDS=VALUE,KEY,DAY,MONTH,YEAR,HOUR,MINUTE,SECOND";
        try (Connection connection = DriverManager.getConnection(url)) {
            return new LogicTestFile(LogicTestEngines.of(connection), Files.readAllLines(file))
                    .run();
        }
    }

    @Test
    void basicsPass() throws Exception {
        Path file = Path.of(SqlLogicTest.class.getResource("basics.test").toURI());
        try (KeyValueStore memory = MemoryStore.open();
                KeyValueStore disk = RocksStore.open(folder)) {
            for (KeyValueStore store : List.of(memory, disk)) {
                LogicTestFile.Outcome outcome = run(store, file, "p");
                assertThat(outcome.failures()).isEmpty();
                assertThat(outcome.passed()).isEqualTo(12);
            }
        }
    }

    /**
     * Every file of a folder, {@code -Dsqllogictest=FOLDER}: on memory and RocksDB, every record
     * passes that passes on H2 with tables of its own. Prints a table in Markdown.
     */
    @Test
    @Tag("slow")
    void filesOfAFolderPassAsOnH2() throws Exception {
        String given = System.getProperty("sqllogictest", "");
        Path files =
                given.isEmpty()
                        ? Path.of(SqlLogicTest.class.getResource("basics.test").toURI())
                        : Path.of(given);
        List<String> table = new ArrayList<>();
        Map<String, Integer> missing = new TreeMap<>();
        int[] totals = new int[4];
        try (Stream<Path> all = Files.walk(files);
                KeyValueStore memory = MemoryStore.open();
                KeyValueStore disk = RocksStore.open(folder)) {
            int number = 0;
            for (Path file : all.filter(p -> p.toString().endsWith(".test")).sorted().toList()) {
                number++;
                LogicTestFile.Outcome own = runNative(file);
                LogicTestFile.Outcome inMemory = run(memory, file, "p" + number);
                LogicTestFile.Outcome onDisk = run(disk, file, "p" + number);
                int[] row = {
                    own.passed() + own.failed(), own.passed(), inMemory.passed(), onDisk.passed()
                };
                String name = files.equals(file) ? "basics" : files.relativize(file).toString();
                table.add(String.format(Locale.ROOT, line(), name, row[0], row[1], row[2], row[3]));
                System.out.print(table.getLast());
                for (int i = 0; i < totals.length; i++) {
                    totals[i] += row[i];
                }
                int least = Math.min(inMemory.passed(), onDisk.passed());
                if (least < own.passed()) {
                    missing.put(name, own.passed() - least);
                    inMemory.failures().forEach(System.out::println);
                    onDisk.failures().forEach(System.out::println);
                }
            }
        }
        System.out.println("| file | records | H2 | memory | RocksDB |");
        System.out.println("|---|---:|---:|---:|---:|");
        System.out.print(String.join("", table));
        System.out.printf(Locale.ROOT, line(), "all", totals[0], totals[1], totals[2], totals[3]);
        assertThat(missing).isEmpty();
        assertThat(totals[2]).isPositive();
    }

    private static String line() {
        return "| %s | %,d | %,d | %,d | %,d |%n";
    }
}
