package petrichor.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobResult;
import petrichor.jobs.local.Jobs;

/**
 * A sort of 6.25 times as much data as fits into its memory: 25 MB, or {@code
 * -Dspilled.megabytes=400}.
 */
@Tag("slow")
@Timeout(600)
class SpilledSortTest {
    private static final int MEGABYTES = Integer.getInteger("spilled.megabytes", 25);
    private static final int RECORD_BYTES = 100;

    @TempDir private Path folder;

    @Test
    void dataLargerThanMemoryIsSortedExactly() throws Exception {
        Path input = folder.resolve("input");
        Path output = folder.resolve("output");
        long bytes = MEGABYTES * 1_000_000L;
        try (OutputStream data = JobsData.open(input)) {
            JobsData.tera(bytes / RECORD_BYTES, data);
        }
        Path spilled = Files.createDirectory(folder.resolve("spilled"));
        EngineOptions options =
                EngineOptions.ofThisProcess()
                        .withMemoryBytes(bytes * 4 / 25)
                        .withSpillFolder(spilled);
        Jobs.Done done = Jobs.local().with(options).run(BenchPlans.sort(input, output, 2));
        assertThat(done.runs().stream().mapToLong(JobResult::spilledBytes).sum())
                .isGreaterThan(bytes / 2);
        assertThat(spilled).isEmptyDirectory();
        // Fails if they are not in order.
        Answer.of(MeasuredJob.SORT, output);
        // In any order, they are the same records.
        assertThat(Answer.of(MeasuredJob.WORDS, output))
                .isEqualTo(Answer.of(MeasuredJob.WORDS, input));
    }
}
