package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.testkit.ProgramJar;

/** Submitted jobs that stop in their second stage, in whatever way, and go on with it. */
@Timeout(180)
final class ResumedJobsTest {
    /** Its first stage leaves a folder each time it runs; its second one can be held. */
    private static final String PROGRAM =
            """
            import java.io.File;
            import java.util.UUID;
            import java.util.concurrent.locks.LockSupport;
            import petrichor.jobs.formats.*;
            import petrichor.jobs.local.*;
            import petrichor.jobs.pact.Plan;
            import petrichor.jobs.records.*;

            public final class Program implements JobProgram {
                static final RecordType DIGIT = RecordType.of(Field.int64("digit"));
                static final RecordType COUNT =
                        RecordType.of(Field.int64("digit"), Field.int64("count"));

                @Override
                public Plan plan(Arguments arguments) {
                    String place = arguments.text("place");
                    Plan plan = Plan.named("digits").parallelism(2);
                    plan.read(new TextSource(place + "/in"))
                        .map("last digit", DIGIT, (in, out) -> {
                            long number = Long.parseLong(in.text(0));
                            if (number == 0) {
                                new File(place + "/firsts/" + UUID.randomUUID()).mkdirs();
                            }
                            out.record().int64(0, number % 10).emit();
                        })
                        .groupBy("digit")
                        .aggregate(Aggregate.count())
                        .map("hold", COUNT, (in, out) -> {
                            while (new File(place + "/hold").exists()) {
                                LockSupport.parkNanos(5_000_000);
                            }
                            out.emit(in);
                        })
                        .write(new CsvSink(
                                Target.file(place + "/out"), CsvSource.Dialect.COMMA));
                    return plan;
                }
            }
            """;

    @TempDir private static Path shared;

    private static Path jar;

    @TempDir private Path folder;

    @BeforeAll
    static void compile() {
        jar = ProgramJar.compile(shared, "Program", PROGRAM);
    }

    @BeforeEach
    void input() throws IOException {
        writeInput(1_000);
        Files.createFile(folder.resolve("hold"));
    }

    private void writeInput(int numbers) throws IOException {
        Files.write(
                folder.resolve("in"),
                IntStream.range(0, numbers).mapToObj(Integer::toString).toList());
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(JobsHere.processes(folder)).isEmpty();
        for (String each : List.of("leased", "running", "kept")) {
            assertThat(JobsHere.in(jobs().resolve(each))).as(each).isEmpty();
        }
    }

    private Path jobs() {
        return folder.resolve("jobs");
    }

    private JobSettings settings() {
        return ServiceProgram.settings(jobs());
    }

    private Submission job() {
        return new Submission(null, List.of("--place", folder.toString()))
                .with(new Execution.LeasedMachines(ServiceProgram.terms()));
    }

    private int runsOfTheFirstStage() {
        return JobsHere.in(folder.resolve("firsts")).size();
    }

    @Test
    void aJobResumesAfterItsServerAndProcessAreKilled() throws Exception {
        Process program = ServiceProgram.start(jobs(), jar, 1, job());
        String first = ServiceProgram.idOfJobThatRuns(program);
        program.destroyForcibly();
        assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        String last;
        try (JobService next = JobService.open(settings())) {
            assertThat(JobsHere.processes(folder)).isEmpty();
            assertThat(next.history().job(first).orElseThrow().failure())
                    .contains("the server stopped")
                    .contains("1 of 2 stages")
                    .contains("petrichor job resume " + first);
            refusesAnotherJar(next, first);
            String refused = refusesAnotherPlan(next, first);
            String killed = next.resume(refused).id();
            JobsHere.awaitRunningTask(next, 1, killed);
            JobsHere.killProcesses();
            JobSnapshot end = JobsHere.end(next, killed);
            assertThat(end.state()).isEqualTo(JobState.FAILED);
            assertThat(end.failure()).contains("was killed").contains("job resume " + killed);
            assertThat(next.show(killed).has("kept")).isTrue();
            assertThat(JobsHere.processes(folder)).isEmpty();
            assertThat(folder.resolve("out")).doesNotExist();
            Files.delete(folder.resolve("hold"));
            last = next.resume(killed).id();
            JobSnapshot done = JobsHere.end(next, last);
            assertThat(done.state()).as(done.failure()).isEqualTo(JobState.FINISHED);
            assertThat(done.submission().resumes()).isEqualTo(killed);
            assertThat(next.kept()).isEmpty();
            assertThatThrownBy(() -> next.resume(killed))
                    .hasMessageContaining("no resumable job " + killed);
            hasBill(next, first);
            hasBill(next, killed);
            hasBill(next, last);
        }
        assertThat(Files.readAllLines(folder.resolve("out")))
                .hasSize(11)
                .containsAll(IntStream.range(0, 10).mapToObj(digit -> digit + ",100").toList());
        assertThat(runsOfTheFirstStage()).isEqualTo(1);
        assertThat(JobsHere.in(folder)).containsExactly("firsts", "in", "jobs", "out");
        try (JobService again = JobService.open(settings())) {
            assertThat(again.history().job(last).orElseThrow().resumes()).isNotNull();
        }
    }

    private static void hasBill(JobService service, String id) {
        JobRecord record = service.history().job(id).orElseThrow();
        assertThat(Objects.requireNonNull(record.cost()).paidMicros()).as(id).isPositive();
    }

    private void refusesAnotherJar(JobService service, String id) throws IOException {
        Path kept = jobs().resolve("kept").resolve(id).resolve("job.jar");
        byte[] before = Files.readAllBytes(kept);
        Files.write(kept, new byte[1], StandardOpenOption.APPEND);
        assertThatThrownBy(() -> service.resume(id)).hasMessageContaining("jar of the job");
        Files.write(kept, before);
    }

    /**
     * An input of another size is has changed since it stopped; gives the id by which it is kept
     * now.
     */
    private String refusesAnotherPlan(JobService service, String id) throws Exception {
        writeInput(1);
        String refused = service.resume(id).id();
        assertThat(JobsHere.end(service, refused).failure())
                .contains("has changed since it stopped");
        writeInput(1_000);
        assertThat(service.kept()).extracting(ResumableJob::id).containsExactly(refused);
        return refused;
    }

    @Test
    void aServerThatStopsKeepsItsJobsForAWhile() throws Exception {
        String id;
        try (JobService service = JobService.open(settings())) {
            id = service.submit(Files.readAllBytes(jar), job()).id();
            JobsHere.awaitRunningTask(service, 1, id);
        }
        assertThat(JobsHere.processes(folder)).isEmpty();
        assertThat(JobsHere.in(jobs().resolve("kept"))).containsExactly(id);
        assertThat(JobsHere.in(folder))
                .as("what is not shown yet")
                .anyMatch(name -> name.startsWith(".out.part"));
        try (JobService later = JobService.open(settings().withKept(1 << 30, Duration.ZERO))) {
            assertThat(later.history().job(id).orElseThrow().failure())
                    .contains("the server was stopped");
            assertThat(later.kept()).isEmpty();
        }
        assertThat(JobsHere.in(folder)).containsExactly("firsts", "hold", "in", "jobs");
    }
}
