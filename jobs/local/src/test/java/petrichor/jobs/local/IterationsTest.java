package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;

/** The two iterations that everybody knows, held against loops over arrays. */
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
