package petrichor.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ResultTableTest {
    @TempDir private Path folder;

    @Test
    void writtenTablesAreRead() throws Exception {
        ResultTable table =
                new ResultTable(
                        List.of("form", "cost"),
                        List.of(List.of("fixed, of six", "$1"), List.of("DAG", "")));
        table.write(folder.resolve("results.csv"));
        ResultTable again = ResultTable.read(folder.resolve("results.csv"));
        assertThat(again.header()).containsExactly("form", "cost");
        assertThat(again.rows())
                .containsExactly(List.of("fixed; of six", "$1"), List.of("DAG", ""));
    }

    @Test
    void signsOfHtmlAreText() {
        ResultTable table = new ResultTable(List.of("a < b"), List.of(List.of("R&D")));
        assertThat(table.html()).contains("<th>a &lt; b").contains("<td>R&amp;D");
    }

    @Test
    void aRowThatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> new ResultTable(List.of("a"), List.of(List.of("1", "2"))))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
