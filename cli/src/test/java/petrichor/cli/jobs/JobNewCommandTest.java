package petrichor.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandRun;

class JobNewCommandTest {
    @TempDir private Path folder;

    @Test
    void aNewProjectCompilesAndRuns() throws Exception {
        Path project = folder.resolve("it's mine");
        CommandRun made = CommandRun.of("job", "new", project.toString());
        assertThat(made.code()).as(made.err()).isZero();
        Process build =
                new ProcessBuilder(project.resolve("build").toString())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(build.waitFor()).as(said).isZero();
        for (int round = 0; round < 2; round++) {
            CommandRun run =
                    CommandRun.of(
                            "job",
                            "run",
                            "--local",
                            project.resolve("job.jar").toString(),
                            "--input",
                            project.resolve("lines.txt").toString(),
                            "--output",
                            folder.resolve("counts.csv").toString());
            assertThat(run.code()).as(run.err()).isZero();
        }
        assertThat(folder.resolve("counts.csv"))
                .hasContent("word,count\nthe,3\nearth,2\nof,2\nrain,2\nsmells,2\n");
    }

    @Test
    void aFolderThatHasSomethingInItIsLeftAlone() throws Exception {
        Files.writeString(folder.resolve("mine"), "x");
        CommandRun run = CommandRun.of("job", "new", folder.toString());
        assertThat(run.code()).isNotZero();
        assertThat(run.err()).contains("already exists");
        assertThat(folder.toFile().list()).containsExactly("mine");
    }
}
