package petrichor.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MeasuredFilesTest {
    private static final Instant START = Instant.parse("2026-01-02T03:04:05Z");

    @TempDir private Path folder;

    private void written(String name, Instant when) throws Exception {
        Files.writeString(folder.resolve(name), "a,b\n");
        Files.setLastModifiedTime(folder.resolve(name), FileTime.from(when));
    }

    private List<List<String>> rows() throws Exception {
        return ResultTable.read(folder.resolve(MeasuredFiles.NAME)).rows();
    }

    @Test
    void filesOfThisRunAreListedWithTheirCommand() throws Exception {
        written("new.csv", START.plusSeconds(1));
        written("new.json", START.plusSeconds(1));
        written("old.csv", START.minusSeconds(1));
        written("new.svg", START.plusSeconds(1));
        MeasuredFiles.record(folder, START, folder, List.of("bench", "stores"));
        assertThat(rows())
                .containsExactly(
                        List.of("new.csv", "unknown", "2026-01-02T03:04:05Z", "bench stores"),
                        List.of("new.json", "unknown", "2026-01-02T03:04:05Z", "bench stores"));
    }

    @Test
    void filesOfOtherRunsKeepTheirOrigin() throws Exception {
        written("first.csv", START);
        MeasuredFiles.record(folder, START, folder, List.of("one"));
        written("second.csv", START.plusSeconds(100));
        MeasuredFiles.record(folder, START.plusSeconds(100), folder, List.of("two"));
        assertThat(rows()).extracting(List::getFirst).containsExactly("first.csv", "second.csv");
        assertThat(rows()).extracting(List::getLast).containsExactly("one", "two");
    }

    @Test
    void theCommitOfTheCheckoutIsRecorded() throws Exception {
        for (String command :
                List.of(
                        "init -q",
                        "config user.email a@b.c",
                        "config user.name a",
                        "commit -q --allow-empty -m first")) {
            List<String> line = new java.util.ArrayList<>(List.of("git", "-C", folder.toString()));
            line.addAll(List.of(command.split(" ")));
            assertThat(new ProcessBuilder(line).start().waitFor()).as(command).isZero();
        }
        written("new.csv", START);
        MeasuredFiles.record(folder, START, folder, List.of("bench"));
        assertThat(rows().getFirst().get(1)).matches("[0-9a-f]{8}");
    }
}
