package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class TextTableTest {
    @Test
    void columnsAreAsWideAsTheirWidestCell() {
        assertThat(
                        printed(
                                List.of(
                                        Map.of("a", "1", "name", "x"),
                                        Map.of("a", "22", "name", "yyyyyy"))))
                .isEqualTo("a   name\n1   x\n22  yyyyyy\n");
    }

    @Test
    void aMissingCellIsEmpty() {
        assertThat(printed(List.of(Map.of("a", "1"), Map.of("b", "2"))))
                .isEqualTo("a  b\n1\n   2\n");
    }

    @Test
    void controlCharactersDoNotReachTheTerminal() {
        assertThat(printed(List.of(Map.of("a", "x\u001b[2J\ny")))).isEqualTo("a\nx·[2J·y\n");
    }

    @Test
    void longCellsAreCut() {
        assertThat(printed(List.of(Map.of("a", "x".repeat(100)))))
                .isEqualTo("a\n" + "x".repeat(47) + "…\n");
    }

    @Test
    void additionalCellsOfLateRowsAreShown() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TextTable table = new TextTable(new PrintStream(out, true, StandardCharsets.UTF_8));
        for (int i = 0; i < 500; i++) {
            table.row(Map.of("a", "1"));
        }
        table.row(new TreeMap<>(Map.of("a", "2", "late", "3")));
        table.end();
        assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("2  late=3\n");
    }

    @Test
    void noRowsPrintNothing() {
        assertThat(printed(List.of())).isEmpty();
    }

    @Test
    void numbersAreAligned() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TextTable table = TextTable.metrics(new PrintStream(out, true, StandardCharsets.UTF_8));
        table.row("run", "one", "seconds", "1.5", "note", "met");
        table.row("run", "another", "seconds", "123.5", "note", "");
        table.end();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        """
                        run      seconds  note
                        one          1.5  met
                        another    123.5
                        """);
    }

    private static String printed(List<Map<String, String>> rows) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        TextTable table = new TextTable(new PrintStream(out, true, StandardCharsets.UTF_8));
        rows.forEach(row -> table.row(new TreeMap<>(row)));
        table.end();
        return out.toString(StandardCharsets.UTF_8);
    }
}
