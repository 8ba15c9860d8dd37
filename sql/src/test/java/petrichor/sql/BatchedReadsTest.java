package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Joins and lists of values read many rows per round trip, with the results of single reads. */
final class BatchedReadsTest {
    private static final Pattern ROUND_TRIPS =
            Pattern.compile("\"Execution Time\".*\"Round Trips\": (\\d+)");

    private final KeyValueStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @BeforeEach
    void tables() {
        run(session, "CREATE TABLE country (id INT PRIMARY KEY, code TEXT UNIQUE, name TEXT)");
        run(session, "CREATE TABLE city (id INT PRIMARY KEY, country INT, people BIGINT)");
        run(session, "CREATE TABLE visit (id INT PRIMARY KEY, city INT, code TEXT)");
        run(
                session,
                "INSERT INTO country SELECT x, 'c' || x, 'name ' || x FROM system_range(1, 500) AS"
                        + " r(x)");
        run(
                session,
                "INSERT INTO city SELECT x, CASE WHEN mod(x, 10) = 0 THEN NULL ELSE mod(x, 600)"
                        + " END, x FROM system_range(1, 1000) AS r(x)");
        run(
                session,
                "INSERT INTO visit SELECT x, 1001 - x, 'c' || mod(x, 700) FROM system_range(1,"
                        + " 1000) AS r(x)");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    private int roundTrips(String query) {
        String plan = run(session, "EXPLAIN (ANALYZE, FORMAT JSON) " + query);
        Matcher matcher = ROUND_TRIPS.matcher(plan);
        assertThat(matcher.find()).as(plan).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    @Test
    void aJoinByKeyReadsTheInnerRowsOfABatchTogether() {
        String join = "FROM city c JOIN country k ON k.id = c.country";
        assertThat(roundTrips("SELECT c.id, k.name " + join)).isLessThanOrEqualTo(20);
        assertThat(run(session, "SELECT count(*), sum(k.id), sum(c.people) " + join))
                .isEqualTo(
                        expected(
                                IntStream.rangeClosed(1, 1_000)
                                        .filter(x -> x % 10 != 0 && x % 600 >= 1 && x % 600 <= 500)
                                        .toArray()));
    }

    private static String expected(int[] cities) {
        long keys = IntStream.of(cities).map(x -> x % 600).sum();
        return cities.length + "|" + keys + "|" + IntStream.of(cities).sum();
    }

    @Test
    void aUniqueIndexIsSearchedForABatch() {
        String join = "FROM visit v JOIN country k ON k.code = v.code";
        assertThat(roundTrips("SELECT v.id, k.name " + join)).isLessThanOrEqualTo(25);
        assertThat(run(session, "SELECT count(*) " + join)).isEqualTo("800");
    }

    @Test
    void tablesThatAreJoinedToTheInnerOneAreReadAhead() {
        String join =
                "FROM visit v JOIN city c ON c.id = v.city JOIN country k ON k.id = c.country";
        assertThat(roundTrips("SELECT v.id, k.name " + join)).isLessThanOrEqualTo(30);
        assertThat(run(session, "SELECT count(*), sum(k.id), sum(c.people) " + join))
                .isEqualTo(
                        run(
                                session,
                                "SELECT count(*), sum(k.id), sum(c.people) FROM city c JOIN country"
                                        + " k ON k.id = c.country"));
    }

    @Test
    void anOuterJoinKeepsRowsWithoutAPartner() {
        String join = "FROM city c LEFT JOIN country k ON k.id = c.country";
        assertThat(roundTrips("SELECT c.id, k.name " + join)).isLessThanOrEqualTo(20);
        assertThat(run(session, "SELECT count(*), count(k.id) " + join)).isEqualTo("1000|810");
    }

    @Test
    void aTableIsJoinedToItself() {
        String join = "FROM city a JOIN city b ON b.id = a.id + 1";
        assertThat(roundTrips("SELECT a.id " + join)).isLessThanOrEqualTo(20);
        assertThat(run(session, "SELECT count(*), sum(a.id), sum(b.id) " + join))
                .isEqualTo("999|499500|500499");
    }

    @Test
    void aListOfKeysIsReadTogether() {
        String keys =
                IntStream.rangeClosed(901, 1_100)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(", "));
        assertThat(roundTrips("SELECT id FROM city WHERE id IN (" + keys + ")"))
                .isLessThanOrEqualTo(3);
        assertThat(run(session, "SELECT count(*), sum(id) FROM city WHERE id IN (" + keys + ")"))
                .isEqualTo("100|95050");
        assertThat(run(session, "UPDATE city SET people = 0 WHERE id IN (" + keys + ")"))
                .isEqualTo("100");
        assertThat(run(session, "SELECT count(*) FROM city WHERE people = 0")).isEqualTo("100");
    }

    @Test
    void aConditionOnTheOuterTableLimitsWhatIsReadAhead() {
        String plan =
                run(
                        session,
                        "EXPLAIN (ANALYZE, FORMAT JSON) SELECT k.name FROM city c JOIN country k ON"
                                + " k.id = c.country WHERE c.people <= 3");
        Matcher keys = Pattern.compile("\"Execution Time\".*\"Keys Read\": (\\d+)").matcher(plan);
        assertThat(keys.find()).isTrue();
        assertThat(Integer.parseInt(keys.group(1))).isLessThan(1_010);
    }

    @Test
    void ownWritesAreSeen() {
        run(session, "BEGIN");
        run(session, "UPDATE country SET name = 'changed' WHERE id = 7");
        run(session, "DELETE FROM country WHERE id = 8");
        assertThat(
                        run(
                                session,
                                "SELECT c.id, k.name FROM city c JOIN country k ON k.id = c.country"
                                        + " WHERE c.id BETWEEN 6 AND 9"))
                .isEqualTo("6|name 6 7|changed 9|name 9");
        run(session, "UPDATE country SET name = 'again' WHERE id = 7");
        assertThat(
                        run(
                                session,
                                "SELECT c.id, k.name FROM city c JOIN country k ON k.id = c.country"
                                        + " WHERE c.id BETWEEN 6 AND 9"))
                .isEqualTo("6|name 6 7|again 9|name 9");
        run(session, "ROLLBACK");
    }

    @Test
    void rowsThatWereReadAheadAreValidated() {
        try (SqlSession other = database.connect("ben")) {
            run(session, "BEGIN");
            run(session, "SELECT sum(k.id) FROM city c JOIN country k ON k.id = c.country");
            run(session, "INSERT INTO visit VALUES (2000, 1, 'c1')");
            run(other, "UPDATE country SET name = 'other' WHERE id = 77");
            assertThat(failure(session, "COMMIT")).isEqualTo("40001");
        }
    }
}
