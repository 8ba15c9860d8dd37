package petrichor.cli.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the texts of errors, plans and dumps. */
final class SqlTextTest {
    @Test
    void anErrorShowsItsPlace() {
        String statement = "SELECT 1,\nñam";
        assertThat(new SqlFailure("42703", "x", "", "Perhaps name.", 12, statement).report())
                .isEqualTo("ERROR 42703: x\nLINE 2: ñam\n         ^\nHINT: Perhaps name.");
        assertThat(new SqlFailure("42703", "x", "", "", 0, "SELECT 1").report())
                .isEqualTo("ERROR 42703: x");
        String wide = "SELECT " + "a, ".repeat(200) + "nam FROM city";
        String cut = new SqlFailure("42703", "x", "", "", 608, wide).report();
        String[] lines = cut.split("\n", -1);
        assertThat(lines[1].charAt(lines[2].indexOf('^'))).isEqualTo('n');
        assertThat(lines[1].length()).isLessThan(140);
    }

    @Test
    void onlyALostConnectionEndsTheSession() {
        for (String state : List.of("08006", "57P01", "57P02")) {
            assertThat(new SqlFailure(state, "x", "", "", 0, "").endsConnection()).isTrue();
        }
        for (String state : List.of("57P03", "57P05", "57014", "42601")) {
            assertThat(new SqlFailure(state, "x", "", "", 0, "").endsConnection()).isFalse();
        }
    }

    @Test
    void aPlanInJsonIsATree() {
        assertThat(
                        PlanTree.of(
                                """
                                [{"Plan": {"Node Type": "Join", "Rows": 2, "Plans": [
                                    {"Node Type": "Scan", "Table": "a"},
                                    {"Node Type": "Lookup", "Table": "b"}]}, "Time": 1.5}]\
                                """))
                .isEqualTo(
                        """
                        Join
                        │   Rows: 2
                        ├─ Scan
                        │      Table: a
                        └─ Lookup
                               Table: b
                        Time: 1.5\
                        """);
        assertThat(PlanTree.of("SELECT 1")).isEqualTo("SELECT 1");
        assertThat(PlanTree.of("[1]")).isEqualTo("[1]");
    }

    @Test
    void aLargeTableIsSeveralStatements() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        CopyBlocks blocks = new CopyBlocks(out, "COPY t FROM stdin;");
        String row = "x".repeat(1 << 20) + "\n";
        for (int i = 0; i < 9; i++) {
            byte[] text = row.getBytes(StandardCharsets.UTF_8);
            blocks.write(text, 0, 1_000);
            blocks.write(text, 1_000, text.length - 1_000);
        }
        blocks.end();
        blocks.end();
        String dump = bytes.toString(StandardCharsets.UTF_8);
        assertThat(dump.split("COPY t FROM stdin;\n", -1)).hasSize(4);
        assertThat(dump.split("\n\\\\\\.\n", -1)).hasSize(4);
        assertThat(dump.replaceAll("COPY t FROM stdin;\n|\\\\\\.\n", "")).isEqualTo(row.repeat(9));
    }
}
