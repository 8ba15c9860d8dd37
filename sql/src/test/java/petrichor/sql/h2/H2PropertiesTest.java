package petrichor.sql.h2;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.sql.SqlDatabase;
import petrichor.sql.SqlSession;
import petrichor.transactions.databases.RowDatabases;

/** H2 reads its properties once: in a process of its own, SQL is what reaches H2 first. */
final class H2PropertiesTest {
    /** The child process: prints whether the properties have an effect. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            try (KeyValueStore store = MemoryStore.open();
                    RowDatabases rows = new RowDatabases(store);
                    SqlDatabase database = SqlDatabase.open(rows.open("p"));
                    SqlSession session = database.connect("ada")) {
                session.execute("CREATE TABLE t (id INT PRIMARY KEY)");
            }
            System.out.println("effective: " + H2Properties.effective());
        }
    }

    @Test
    void aProcessThatUsesSqlHasNoSharedCacheOfValues() throws Exception {
        Process process =
                new ProcessBuilder(
                                List.of(
                                        ProcessHandle.current().info().command().orElseThrow(),
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        Child.class.getName()))
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("effective: true");
    }
}
