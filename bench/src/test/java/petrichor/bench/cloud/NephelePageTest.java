package petrichor.bench.cloud;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.bench.ResultTable;

final class NephelePageTest {
    @TempDir private Path folder;

    private void ran(String name, String result) throws Exception {
        new ResultTable(List.of("result"), List.of(List.of(result)))
                .write(folder.resolve("nephele-" + name + "-results.csv"));
    }

    @Test
    void aPageCollectsResultsAndDrawings() throws Exception {
        ran("network", "7 s");
        ran("simulated", "$9");
        Files.writeString(folder.resolve("nephele-simulated.svg"), "<svg/>");
        NephelePage.write(folder);
        String page = Files.readString(folder.resolve("nephele.html"));
        assertThat(page).containsSubsequence("Chapter 3, simulated", "<td>$9", "<svg/>");
        assertThat(page).containsSubsequence("a network as bottleneck", "<td>7 s");
        assertThat(page).doesNotContain("on this machine");
    }
}
