package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.testkit.ProgramJar;

/** What a job learns of the service's environment, and what outlives it: nothing. */
@Timeout(120)
final class JobCageTest {
    private static final String PROGRAM =
            """
            import java.util.*;
            import petrichor.jobs.formats.*;
            import petrichor.jobs.local.*;
            import petrichor.jobs.pact.Plan;
            import petrichor.jobs.records.*;

            public final class Escaping implements JobProgram {
                @Override
                public Plan plan(Arguments arguments) throws Exception {
                    // A child of a child in a session of its own: nobody's, once its parent ends.
                    new ProcessBuilder("sh", "-c",
                            "setsid sh -c 'echo $$ > " + arguments.text("pid") + "; exec sleep 600'"
                            + " </dev/null >/dev/null 2>&1 &").start().waitFor();
                    Plan plan = Plan.named("escaping");
                    plan.read(new TextSource(arguments.text("in")))
                        .write(new CsvSink(
                                Target.file(arguments.text("out")), CsvSource.Dialect.COMMA));
                    return plan;
                }
            }
            """;

    @TempDir private static Path shared;

    private static Path jar;

    @TempDir private Path folder;

    @BeforeAll
    static void compile() {
        jar = ProgramJar.compile(shared, "Escaping", PROGRAM);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aChildThatLeftTheTreeEndsWithItsJob() throws Exception {
        Files.writeString(folder.resolve("in"), "a\n");
        Path pid = folder.resolve("pid");
        try (JobService service = JobService.open(JobSettings.in(folder.resolve("jobs")))) {
            String id =
                    service.submit(
                                    Files.readAllBytes(jar),
                                    new Submission(
                                            null,
                                            java.util.List.of(
                                                    "--in", folder.resolve("in").toString(),
                                                    "--out", folder.resolve("out").toString(),
                                                    "--pid", pid.toString())))
                            .id();
            try (JobSubscription following = service.follow(id)) {
                while (!following.isOver()) {
                    following.next(Duration.ofSeconds(1));
                }
            }
            assertThat(service.snapshot(id).state())
                    .as(service.snapshot(id).failure())
                    .isEqualTo(JobState.FINISHED);
        }
        assertThat(pid).exists();
        long escaped = Long.parseLong(Files.readString(pid).strip());
        // It was killed before the job was told to have ended; its parent may not have noticed yet.
        boolean runs =
                ProcessHandle.of(escaped)
                        .map(ProcessHandle::isAlive)
                        .filter(alive -> alive)
                        .map(
                                _ -> {
                                    try {
                                        return !Files.readString(
                                                        Path.of("/proc", "" + escaped, "stat"))
                                                .contains(") Z ");
                                    } catch (java.io.IOException gone) {
                                        return false;
                                    }
                                })
                        .orElse(false);
        assertThat(runs).isFalse();
    }

    @Test
    void aJobSeesNoSecretsOfTheService() {
        Map<String, String> environment = new TreeMap<>();
        for (String name :
                new String[] {
                    "PATH",
                    "HOME",
                    "DATASTORE_EMULATOR_HOST",
                    "PETRICHOR_AUTH__TOKEN",
                    "PETRICHOR_STORE__URL",
                    "MY_SECRET",
                    "AWS_SECRET_ACCESS_KEY",
                    "PGPASSWORD",
                    "GOOGLE_APPLICATION_CREDENTIALS"
                }) {
            environment.put(name, "x");
        }
        JobEnvironment.limit(environment, "mark");
        assertThat(environment)
                .containsOnlyKeys("PATH", "HOME", "DATASTORE_EMULATOR_HOST", JobEnvironment.MARK);
    }

    @Test
    void aCommandKeepsItsArgumentsUnderLimits() throws Exception {
        Process process =
                new ProcessBuilder(
                                JobProcesses.limited(
                                        java.util.List.of("printf", "%s|", "a b", "$c")))
                        .start();
        assertThat(
                        new String(
                                process.getInputStream().readAllBytes(),
                                java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("a b|$c|");
    }
}
