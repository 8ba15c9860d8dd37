package petrichor.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.sql.Sessions.failure;
import static petrichor.sql.Sessions.run;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

/** Literals in PostgreSQL's own form. */
final class LiteralSyntaxTest {
    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases rows = new RowDatabases(store);
    private final SqlDatabase database = SqlDatabase.open(rows.open("p"));
    private final SqlSession session = database.connect("ada");

    @AfterEach
    void close() {
        session.close();
        database.close();
        rows.close();
        store.close();
    }

    @Test
    void anInsertMayHaveThousandsOfLiterals() {
        run(session, "CREATE TABLE t (id int PRIMARY KEY, d date, b boolean)");
        for (String day : List.of("2024-01-05", "Jan 5 2024")) {
            StringBuilder text = new StringBuilder("INSERT INTO t VALUES ");
            for (int i = 0; i < 5_000; i++) {
                text.append(i == 0 ? "" : ", ")
                        .append('(')
                        .append(i)
                        .append(", DATE '" + day + "', 'yes'::boolean)");
            }
            long start = System.nanoTime();
            StatementText parsed = StatementText.parse(text.toString());
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isLessThan(Duration.ofSeconds(10));
            assertThat(parsed.kind()).isEqualTo(StatementText.Kind.CHANGE);
            assertThat(run(session, text.toString())).isEqualTo("5000");
            assertThat(run(session, "SELECT count(*) FROM t WHERE d = '2024-01-05' AND b"))
                    .isEqualTo("5000");
            run(session, "TRUNCATE t");
        }
        assertThat(failure(session, "SELECT DATE '2024-02-30'")).isEqualTo("22008");
        assertThat(failure(session, "SELECT CAST('2024-13-01' AS date)")).isEqualTo("22008");
    }

    @Test
    void aLiteralWithATypeMayBeCast() {
        assertThat(run(session, "SELECT DATE '2024-01-05'::timestamp, date 'Jan 5 2024'::text"))
                .isEqualTo("2024-01-05T00:00|2024-01-05");
        assertThat(run(session, "SELECT timestamp '2024-01-05 10:00:00'::date"))
                .isEqualTo("2024-01-05");
        assertThat(run(session, "SELECT date 'Jan 5 2024', ARRAY[1] = '{1}'::int[], 'f'::bool"))
                .isEqualTo("2024-01-05|true|false");
    }

    @Test
    void yearsAndMonthsOfAnInterval() {
        assertThat(
                        run(
                                session,
                                "SELECT timestamp '2024-01-01 00:00:00' + interval '1-2', timestamp"
                                    + " '2024-01-01 00:00:00' + interval '-1-2', timestamp"
                                    + " '2024-01-01 00:00:00' + interval '+1-0 3 4:05', timestamp"
                                    + " '2024-01-01 00:00:00' - interval '1-2'"))
                .isEqualTo("2025-03-01T00:00|2022-11-01T00:00|2025-01-04T04:05|2022-11-01T00:00");
        for (String invalid : List.of("1-222", "1 day 1-2", "1-12", "1-2-3", "3-4:00")) {
            assertThat(failure(session, "SELECT interval '" + invalid + "'"))
                    .as(invalid)
                    .isEqualTo("22007");
        }
    }

    @Test
    void anIntervalOfMonthsAndDaysIsNotMultiplied() {
        assertThat(
                        run(
                                session,
                                "SELECT timestamp '2024-01-01 00:00:00' + interval '1 month 1"
                                        + " day'"))
                .isEqualTo("2024-02-02T00:00");
        for (String rest : List.of("* 2", "/ 2", "::text")) {
            String text =
                    "SELECT timestamp '2024-01-01 00:00:00' + interval '1 month 1 day' " + rest;
            assertThat(failure(session, text)).as(rest).isEqualTo("0A000");
        }
        assertThat(
                        failure(
                                session,
                                "SELECT timestamp '2024-01-01 00:00:00' + '1 month 1 day'::interval"
                                        + " * 2"))
                .isEqualTo("0A000");
    }

    @Test
    void theEpochIsInUtc() {
        run(session, "SET TIME ZONE 'America/New_York'");
        assertThat(run(session, "SELECT extract(epoch FROM 'epoch'::timestamptz)"))
                .matches("0(\\.0*)?");
        assertThat(run(session, "SELECT 'epoch'::timestamp, date 'epoch'"))
                .isEqualTo("1970-01-01T00:00|1970-01-01");
    }

    @Test
    void zonesHaveNames() {
        for (List<String> zone :
                List.of(
                        List.of("2024-01-05 10:00:00 Europe/Berlin", "+01:00"),
                        List.of("2024-07-05 10:00:00 europe/berlin", "+02:00"),
                        List.of("Jan 5 2024 10:00 America/Port-au-Prince", "-05:00"),
                        List.of("2024-01-05 10:00:00 CET", "+01:00"),
                        List.of("2024-03-31 02:30:00 Europe/Berlin", "+01:00"),
                        List.of("2024-10-27 02:30:00 Europe/Berlin", "+01:00"),
                        List.of("2024-01-05 10:00:00 Etc/GMT", "+00:00"))) {
            String literal = "timestamptz '" + zone.getFirst() + "'";
            String local =
                    zone.getFirst().startsWith("Jan")
                            ? "2024-01-05 10:00:00"
                            : zone.getFirst().substring(0, 19);
            assertThat(
                            run(
                                    session,
                                    "SELECT "
                                            + literal
                                            + " = TIMESTAMP WITH TIME ZONE '"
                                            + local
                                            + zone.getLast()
                                            + "'"))
                    .as(literal)
                    .isEqualTo("true");
        }
        assertThat(run(session, "SELECT timestamp '2024-01-05 10:00 Europe/Berlin'"))
                .isEqualTo("2024-01-05T10:00");
        assertThat(failure(session, "SELECT timestamptz '2024-01-05 10:00 Europe/Atlantis'"))
                .isEqualTo("22007");
    }

    @Test
    void malformedLiteralsHaveErrorsOfPostgres() {
        for (String literal :
                List.of(
                        "date '2024-jan-feb'",
                        "date '5-jan-feb'",
                        "date '99999999999-jan-5'",
                        "date '2024-jan-99999999999'",
                        "interval 'P1.2.3D'",
                        "interval '9223372036854775808 months'",
                        "time '9:00:00.1234567890 PM'",
                        "timestamptz '2024-01-05 9:00:00.1234567890 Europe/Berlin'")) {
            assertThat(failure(session, "SELECT " + literal)).as(literal).isEqualTo("22007");
        }
    }

    @Test
    void intervalsOutOfRangeAreAnErrorOfTheStatement() {
        String large = "SELECT '3000000 months'::interval * 1000";
        assertThat(failure(session, large)).isEqualTo("22008");
        assertThat(run(session, "SELECT timestamp '19970210 173201'"))
                .isEqualTo("1997-02-10T17:32:01");
    }
}
