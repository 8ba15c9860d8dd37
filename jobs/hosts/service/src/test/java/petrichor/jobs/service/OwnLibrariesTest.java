package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.testkit.ProgramJar;

/** A job's jar contains another version of a library that Petrichor uses. */
@Timeout(180)
final class OwnLibrariesTest {
    private static final String PROGRAM =
            """
            import com.google.gson.Gson;
            import petrichor.jobs.formats.*;
            import petrichor.jobs.local.*;
            import petrichor.jobs.pact.*;
            import petrichor.jobs.records.*;

            public final class Program implements JobProgram {
                @Override
                public Plan plan(Arguments arguments) throws Exception {
                    Plan plan = Plan.named(Gson.whose());
                    RecordType line = RecordType.of(Field.text("line"));
                    plan.read(new TextSource(arguments.text("in")))
                            .map("own", line, (in, out) -> {
                                ClassLoader loader = Thread.currentThread().getContextClassLoader();
                                Object found = Class.forName("com.google.gson.Gson", true, loader)
                                        .getMethod("whose").invoke(null);
                                out.record().text(0, Gson.whose() + found).emit();
                            })
                            .write(new TextSink(Target.file(arguments.text("out"))));
                    return plan;
                }
            }
            """;

    /** Petrichor's own has no such method. */
    private static final String LIBRARY =
            """
            package com.google.gson;

            public final class Gson {
                public static String whose() {
                    return "mine";
                }
            }
            """;

    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void theJobUsesItsOwnLibrariesInItsProcessAndInWorkers(int workers) throws Exception {
        Path jar =
                ProgramJar.compile(
                        folder,
                        "Program",
                        Map.of("Program", PROGRAM, "com.google.gson.Gson", LIBRARY));
        Path in = Files.writeString(folder.resolve("in"), "line\n");
        Path out = folder.resolve("out");
        try (JobService service = JobService.open(JobSettings.in(folder.resolve("jobs")))) {
            List<String> arguments = List.of("--in", in.toString(), "--out", out.toString());
            Submission submission =
                    new Submission(null, arguments).with(Execution.of(workers, "", false, null));
            String id = service.submit(Files.readAllBytes(jar), submission).id();
            try (JobSubscription following = service.follow(id)) {
                while (!following.isOver()) {
                    following.next(Duration.ofSeconds(1));
                }
            }
            JobSnapshot done = service.snapshot(id);
            assertThat(done.state()).as(done.failure()).isEqualTo(JobState.FINISHED);
            assertThat(done.name()).isEqualTo("mine");
        }
        assertThat(out).hasContent("minemine\n");
    }
}
