package petrichor.testing.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RegressionScriptTest {
    private static List<String> texts(String script) {
        return RegressionScript.parse(script).steps().stream()
                .map(RegressionScript.Step::text)
                .toList();
    }

    @Test
    void statementsEndOutsideOfStringsAndParentheses() {
        String script =
                """
                -- a; b
                SELECT ';' AS "a;"; SELECT $x$;$x$;
                CREATE RULE r AS (SELECT 1; SELECT 2);
                SELECT 1 \\; SELECT 2;
                """;
        assertThat(texts(script))
                .containsExactly(
                        "SELECT ';' AS \"a;\";",
                        "SELECT $x$;$x$;",
                        "CREATE RULE r AS (SELECT 1; SELECT 2);",
                        "SELECT 1 \\; SELECT 2;");
    }

    @Test
    void onlyAnOrderOfTheWholeQueryIsCompared() {
        RegressionScript script =
                RegressionScript.parse(
                        """
                        SELECT sum(a) OVER (ORDER BY b), '(' FROM t;
                        SELECT a FROM (SELECT a FROM t ORDER BY a) s;
                        SELECT a FROM t ORDER BY count((a));
                        """);
        assertThat(script.steps().stream().map(RegressionScript.Step::ordered))
                .containsExactly(false, false, true);
    }

    @Test
    void commandsOfPsqlStayUnlessTheyChangeTheOutput() {
        String script =
                """
                \\set n 1
                \\pset null x
                \\t
                SELECT :n AS a \\gset
                \\d t
                """;
        assertThat(texts(script)).containsExactly("\\set n 1", "SELECT :n AS a \\gset", "\\d t");
    }

    @Test
    void copyReadsItsLinesFromAFile() {
        RegressionScript script =
                RegressionScript.parse(
                        """
                        COPY t (a,
                         b) FROM stdin WITH (NULL 'x');
                        1\t2
                        \\.
                        SELECT 1;
                        """);
        assertThat(script.steps()).hasSize(2);
        RegressionScript.Step copy = script.steps().getFirst();
        assertThat(copy.data()).isEqualTo("1\t2\n");
        assertThat(RegressionScript.copied(copy, Path.of("/tmp/d")))
                .isEqualTo("\\COPY t (a, b) from '/tmp/d' WITH (NULL 'x')");
        assertThat(script.steps().getLast().line()).isEqualTo(5);
    }

    @Test
    void copyFromAFileOfTheSourcesNamesIt() {
        RegressionScript script =
                RegressionScript.parse(
                        "\\set filename :abs_srcdir '/data/onek.data'\n"
                                + "COPY onek FROM :'filename';");
        RegressionScript.Step copy = script.steps().getLast();
        assertThat(copy.file()).isEqualTo("/data/onek.data");
        assertThat(RegressionScript.copied(copy, Path.of("/s/data/onek.data")))
                .isEqualTo("\\COPY onek FROM '/s/data/onek.data'");
    }

    private static PsqlSession.Outcome rows(String... rows) {
        return new PsqlSession.Outcome(List.of(rows), "");
    }

    @Test
    void rowsAndStatesAreCompared() {
        RegressionScript script =
                RegressionScript.parse(
                        "SELECT a FROM t; SELECT a FROM t ORDER BY a; SELECT b; EXPLAIN SELECT a;"
                                + " SELECT c;");
        PsqlSession.Outcome refused = new PsqlSession.Outcome(List.of(), "42703");
        DialectReport.ScriptResult result =
                DialectReport.compare(
                        "t",
                        script,
                        Map.of(
                                0,
                                rows("1", "2"),
                                1,
                                rows("1", "2"),
                                2,
                                refused,
                                3,
                                rows("plan"),
                                4,
                                rows("3")),
                        Map.of(0, rows("2", "1"), 1, rows("2", "1"), 2, refused, 3, rows("other")),
                        9);
        assertThat(result.compared()).isEqualTo(4);
        assertThat(result.same()).isEqualTo(2);
        assertThat(result.refused()).isEqualTo(1);
        assertThat(result.differences())
                .extracting(DialectReport.Difference::actual)
                .containsExactly("2 ¦ 1", "did not run");
    }
}
