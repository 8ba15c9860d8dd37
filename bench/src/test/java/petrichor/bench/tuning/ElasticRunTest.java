package petrichor.bench.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;

@Timeout(120)
final class ElasticRunTest {
    /** Eight seconds with one subtask per task. */
    private static final int PAGES = 200;

    @TempDir private Path folder;

    @Test
    void theSlowestServiceGetsMoreSubtasksAndEveryPageArrivesOnce() {
        ElasticRun run =
                ElasticRun.of(
                        ElasticPipeline.of(DocumentPipeline.ofServices(PAGES, 1_000)),
                        EngineOptions.ofThisProcess().withSpillFolder(folder));
        // The sinks have counted the pages.
        assertThat(run.scalings().getFirst().task()).isEqualTo(DocumentPipeline.OCR);
        assertThat(run.scalings().getFirst().scaling().from()).isEqualTo(1);
        assertThat(run.scalings().getFirst().scaling().to()).isGreaterThan(1);
        assertThat(ElasticChart.svg(List.of(run))).contains(run.pipeline().title());
    }
}
