package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.engine.workers.JobWorkers;
import petrichor.jobs.engine.workers.WorkerSource;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.jobgraph.JobGraph;

/** The two best-known iterations, compared with loops over arrays. */
final class IterationsTest {
    private static final int ROUNDS = 6;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir Path folder;

    @Test
    void ranksOfPages() throws IOException {
        agrees(KnownIterations.pageRank(random, folder, ROUNDS));
    }

    @Test
    void centresOfClusters() throws IOException {
        agrees(KnownIterations.kMeans(random, folder, ROUNDS));
    }

    /** The uncommitted output of the previous plan's sinks would be lost. */
    @Test
    void anIteratingPlanDoesNotResumeOneWithoutIterations() throws IOException {
        Path kept = Files.createDirectories(folder.resolve("kept"));
        Files.writeString(kept.resolve("stages"), "another graph\n1\n2\nfalse\n");
        WorkerSource workers = Workers.of(1, List.of());
        WorkerSource resuming =
                new WorkerSource() {
                    @Override
                    public int attemptsMax() {
                        return workers.attemptsMax();
                    }

                    @Override
                    public Optional<ResumePoint> resumePoint() {
                        return Optional.of(ResumePoint.in(kept));
                    }

                    @Override
                    public JobWorkers open(JobGraph graph, EngineOptions options) {
                        return workers.open(graph, options);
                    }
                };
        ExampleJob job = KnownIterations.pageRank(random, folder, ROUNDS);
        assertThatThrownBy(() -> Jobs.local().with(resuming).run(job.plan()))
                .hasMessageContaining("has changed since it stopped");
        assertThat(job.result()).doesNotExist();
        assertThat(kept).isNotEmptyDirectory();
    }

    private void agrees(ExampleJob job) throws IOException {
        Jobs.local()
                .with(
                        EngineOptions.ofThisProcess()
                                .withMemoryBytes(64 << 20)
                                .withSpillFolder(folder))
                .run(job.plan());
        assertThat(Files.readAllLines(job.result()))
                .as("-Dseed=%d", seed)
                .isEqualTo(job.expected());
    }
}
