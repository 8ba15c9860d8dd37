package petrichor.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.bench.Progress;

class JobRoundsTest {
    @TempDir private Path folder;

    private final JobsReport report = new JobsReport();

    /** A contender whose result is this text. */
    private JobContender writing(String name, String text) {
        String script = "printf '" + text + "' >" + folder.resolve("result");
        return new JobContender(name, List.of("bash", "-c", script), Map.of());
    }

    private String measured(JobContender... contenders) throws Exception {
        Progress silent = new Progress(System.err, false);
        Path output = folder.resolve("result");
        new JobRounds(
                        MeasuredJob.WORDS,
                        List.of(contenders),
                        output,
                        JobRounds.RUN_MAX,
                        report,
                        silent)
                .run(2);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        report.print(new PrintStream(printed, true, StandardCharsets.UTF_8));
        return printed.toString(StandardCharsets.UTF_8);
    }

    private List<String> counted() {
        return report.lines().stream().map(JobsReport.Line::contender).toList();
    }

    @Test
    void aFailingContenderIsExcludedAndTheOthersContinue() throws Exception {
        JobContender failing =
                new JobContender(
                        "spark", List.of("bash", "-c", "echo no memory; exit 1"), Map.of());
        String printed =
                measured(writing("petrichor", "a\\t1\\n"), failing, writing("duckdb", "a\\t1\\n"));
        assertThat(counted()).containsExactly("petrichor", "duckdb");
        assertThat(printed).contains("words: spark was excluded").contains("no memory");
    }

    @Test
    void aContenderWithADifferentResultIsExcluded() throws Exception {
        String printed =
                measured(
                        writing("petrichor", "a\\t1\\n"),
                        writing("duckdb", "a\\t2\\n"),
                        writing("polars", "a\\t1\\n"));
        assertThat(counted()).containsExactly("petrichor", "polars");
        assertThat(printed).contains("words: duckdb was excluded: its result is 1 words");
    }

    @Test
    void noTargetIsMetWhenOursIsExcluded() throws Exception {
        measured(
                writing("petrichor", "a\\t2\\n"),
                writing("duckdb", "a\\t1\\n"),
                writing("polars", "a\\t1\\n"));
        assertThat(report.allMet()).isFalse();
    }

    @Test
    void everyRoundIsWritten() throws Exception {
        measured(writing("petrichor", "a\\t1\\n"), writing("flink", "a\\t1\\n"));
        report.write(folder);
        assertThat(Files.readAllLines(folder.resolve("jobs.csv")))
                .hasSize(5)
                .anyMatch(line -> line.startsWith("words,flink,2,"));
        assertThat(folder.resolve("jobs.svg")).content().contains("words, flink");
    }
}
