package petrichor.bench.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.tuning.Advice;
import petrichor.jobs.tuning.BottleneckSearch;
import petrichor.jobs.tuning.Resources;
import petrichor.jobs.tuning.TaskAdvice;

@Timeout(120)
final class DocumentPipelineTest {
    /** Two seconds with one subtask per task. */
    private static final int PAGES = 50;

    @TempDir private Path folder;

    @Test
    void theSlowestServiceIsTheBottleneckAndGetsTheMostSubtasks() {
        DocumentPipeline pipeline = DocumentPipeline.ofServices(PAGES, 1_000);
        PipelineRun run =
                PipelineRun.of(
                        pipeline, Map.of(), EngineOptions.ofThisProcess().withSpillFolder(folder));
        assertThat(PipelineRun.names(BottleneckSearch.STANDARD.in(run.profile()), run.profile()))
                .containsExactly(DocumentPipeline.OCR);
        assertThat(pipeline.truth(Map.of())).containsExactly(DocumentPipeline.OCR);
        List<TaskAdvice> advised = Advice.of(run.profile(), Resources.ofThisMachine()).tasks();
        // On a slow machine the reader is slower, too: then fewer suffice.
        assertThat(advised)
                .filteredOn(task -> task.task().name().startsWith(DocumentPipeline.OCR))
                .singleElement()
                .satisfies(task -> assertThat(task.parallelism()).isBetween(2, 25));
    }

    @Test
    void theBottleneckFollowsFromTheCosts() {
        DocumentPipeline pipeline = DocumentPipeline.ofServices(PAGES, 1_000);
        assertThat(pipeline.truth(Map.of(DocumentPipeline.OCR, 4, DocumentPipeline.PDF, 1)))
                .containsExactly(DocumentPipeline.OCR, DocumentPipeline.PDF);
        assertThat(pipeline.truth(Map.of(DocumentPipeline.OCR, 20, DocumentPipeline.PDF, 6)))
                .containsExactly(DocumentPipeline.READER);
    }
}
