package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Which indexes and orders of joins the optimizer chooses. */
final class PlanChoiceTest {
    private final KeyValueStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @BeforeEach
    void tables() {
        Sessions.run(
                session,
                "CREATE TABLE customer (w INT, d INT, id INT, first TEXT, last TEXT, PRIMARY KEY"
                        + " (w, d, id))");
        Sessions.run(session, "CREATE INDEX customer_name ON customer (w, d, last, first)");
        Sessions.run(session, "CREATE INDEX customer_first ON customer (first)");
        Sessions.run(
                session,
                "CREATE TABLE purchase (id INT PRIMARY KEY, w INT, d INT, customer INT, paid INT)");
        Sessions.run(session, "CREATE UNIQUE INDEX purchase_paid ON purchase (paid)");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    private List<String> plan(String query) {
        StatementResult.Rows result = (StatementResult.Rows) session.execute("EXPLAIN " + query);
        List<String> lines = new ArrayList<>();
        try (RowIterator read = result.rows()) {
            while (read.next()) {
                lines.add(String.valueOf(read.value(0)).strip());
            }
        }
        return lines;
    }

    private List<String> scans(String query) {
        return plan(query).stream().filter(line -> line.contains("Scan")).toList();
    }

    private String scan(String query) {
        return scans(query).getFirst();
    }

    @Test
    void theIndexWithMoreConditionsIsChosen() {
        assertThat(scan("SELECT id FROM customer WHERE w = 1 AND d = 2 AND last = 'BAR'"))
                .contains("using customer_name");
        assertThat(scan("SELECT last FROM customer WHERE w = 1 AND d = 2 AND id = 3"))
                .doesNotContain("customer_name");
        assertThat(scan("SELECT id FROM customer WHERE w = 1 AND d = 2 AND last > 'B'"))
                .contains("using customer_name");
    }

    @Test
    void twoBoundsAreBetterThanOneAndEqualityThanBoth() {
        Sessions.run(session, "CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT)");
        Sessions.run(session, "CREATE INDEX t_a ON t (a)");
        Sessions.run(session, "CREATE INDEX t_b ON t (b)");
        assertThat(scan("SELECT id FROM t WHERE a > 1 AND b > 1 AND b < 9")).contains("using t_b");
        assertThat(scan("SELECT id FROM t WHERE a > 1 AND a < 9 AND b > 1")).contains("using t_a");
        assertThat(scan("SELECT id FROM t WHERE a > 1 AND a < 9 AND b = 1")).contains("using t_b");
    }

    @Test
    void aUniqueIndexThatIsFullyBoundIsTheBest() {
        assertThat(scan("SELECT id FROM purchase WHERE paid = 7 AND id > 3"))
                .contains("using purchase_paid");
        assertThat(scan("SELECT paid FROM purchase WHERE paid > 7 AND id = 3"))
                .doesNotContain("purchase_paid");
    }

    @Test
    void anOrderByAnIndexIsNotSorted() {
        assertThat(plan("SELECT first FROM customer ORDER BY first LIMIT 5"))
                .anySatisfy(line -> assertThat(line).contains("using customer_first"))
                .noneSatisfy(line -> assertThat(line).startsWith("->  Sort"));
        assertThat(plan("SELECT first FROM customer WHERE first > 'M' ORDER BY first"))
                .anySatisfy(line -> assertThat(line).contains("using customer_first"))
                .noneSatisfy(line -> assertThat(line).startsWith("Sort"));
        assertThat(
                        plan(
                                "SELECT first FROM customer WHERE w = 1 AND d = 1 AND last = 'B'"
                                        + " ORDER BY first"))
                .anySatisfy(line -> assertThat(line).contains("using customer_name"));
    }

    @Test
    void theTableThatIsSearchedByItsKeyIsTheInnerOne() {
        for (String from :
                List.of(
                        "purchase p JOIN customer c ON c.w = p.w AND c.d = p.d AND c.id ="
                                + " p.customer",
                        "customer c JOIN purchase p ON c.w = p.w AND c.d = p.d AND c.id ="
                                + " p.customer")) {
            List<String> scans = scans("SELECT p.id, c.last FROM " + from);
            assertThat(scans.getFirst()).contains("on purchase p");
            assertThat(scans.getLast()).contains("Index Scan using").contains("on customer c");
        }
        assertThat(
                        scans(
                                "SELECT * FROM purchase p, customer c WHERE c.w = p.w AND c.d = p.d"
                                        + " AND c.id = p.customer AND p.paid = 7"))
                .first()
                .asString()
                .contains("purchase_paid");
    }
}
