package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
import petrichor.jobs.leased.JobCost;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.leased.StageCut;
import petrichor.jobs.testkit.ProgramJar;

/**
 * Submitted jobs that lease machines: whoever is killed, nothing stays leased and the bill is
 * there.
 */
@Timeout(180)
final class LeasedJobsTest {
    private static final String PROGRAM =
            """
            import java.util.concurrent.locks.LockSupport;
            import petrichor.jobs.formats.*;
            import petrichor.jobs.local.*;
            import petrichor.jobs.pact.Plan;
            import petrichor.jobs.records.*;

            public final class Program implements JobProgram {
                static final RecordType DIGIT = RecordType.of(Field.int64("digit"));

                @Override
                public Plan plan(Arguments arguments) {
                    boolean slow = arguments.flag("slow");
                    Plan plan = Plan.named("digits").parallelism(2);
                    plan.read(new TextSource(arguments.text("in")))
                        .map("last digit", DIGIT, (in, out) -> {
                            if (slow) {
                                LockSupport.parkNanos(20_000_000);
                            }
                            out.record().int64(0, Long.parseLong(in.text(0)) % 10).emit();
                        })
                        .groupBy("digit")
                        .aggregate(Aggregate.count())
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
        jar = ProgramJar.compile(shared, "Program", PROGRAM);
    }

    @BeforeEach
    void input() throws IOException {
        Files.write(
                folder.resolve("in"),
                IntStream.range(0, 10_000).mapToObj(Integer::toString).toList());
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(JobsHere.processes(folder)).isEmpty();
        for (String each : List.of("leased", "running")) {
            assertThat(JobsHere.in(jobs().resolve(each))).as(each).isEmpty();
        }
    }

    private Path jobs() {
        return folder.resolve("jobs");
    }

    private JobService service() {
        return JobService.open(ServiceProgram.settings(jobs()));
    }

    private Submission job(String... more) {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.addAll(
                List.of(
                        "--in",
                        folder.resolve("in").toString(),
                        "--out",
                        folder.resolve("out").toString()));
        return new Submission(null, arguments)
                .with(new Execution.LeasedMachines(ServiceProgram.terms()));
    }

    private static JobCost cost(JobSnapshot job) {
        return Objects.requireNonNull(job.cost(), () -> "no bill: " + job);
    }

    @Test
    void aJobLeasesByStageAndItsBillIsInItsImageAndInTheHistory() throws Exception {
        JobSnapshot done;
        try (JobService service = service()) {
            String id = service.submit(Files.readAllBytes(jar), job()).id();
            done = JobsHere.end(service, id);
            assertThat(service.show(id).get("output").toString()).contains("machines small");
            assertThat(service.show(id).has("cost")).isTrue();
        }
        assertThat(done.state()).as(done.failure()).isEqualTo(JobState.FINISHED);
        assertThat(Files.readAllLines(folder.resolve("out"))).hasSize(11).contains("7,1000");
        assertThat(cost(done).stages()).hasSizeGreaterThan(1);
        assertThat(cost(done).paidMicros()).isPositive();
        assertThat(cost(JobSnapshot.parse(done.json(false))).stages())
                .isEqualTo(cost(done).stages());
        try (JobService next = service()) {
            JobRecord record = next.history().job(done.id()).orElseThrow();
            assertThat(Objects.requireNonNull(record.cost()).stages())
                    .isEqualTo(cost(done).stages());
            assertThat(next.historyJson(1).toString()).contains("\"paidMicros\":");
        }
    }

    @Test
    void aCancelledOrKilledJobReleasesItsMachines() throws Exception {
        try (JobService service = service()) {
            byte[] bytes = Files.readAllBytes(jar);
            String cancelled = service.submit(bytes, job("--slow")).id();
            String killed = service.submit(bytes, job("--slow")).id();
            JobsHere.awaitRunningTask(service, 0, cancelled);
            service.cancel(cancelled);
            JobSnapshot end = JobsHere.end(service, cancelled);
            assertThat(end.state()).isEqualTo(JobState.CANCELED);
            assertThat(cost(end).paidMicros()).isPositive();
            JobsHere.awaitRunningTask(service, 0, killed);
            JobsHere.killProcesses();
            JobSnapshot lost = JobsHere.end(service, killed);
            assertThat(lost.state()).isEqualTo(JobState.FAILED);
            assertThat(lost.failure()).contains("was killed");
            assertThat(cost(lost).paidMicros()).isPositive();
            assertThat(JobsHere.processes(folder)).isEmpty();
        }
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Test
    void aRestartedServiceFindsItsLeasesAndTheirCost() throws Exception {
        Process program = ServiceProgram.start(jobs(), jar, 0, job("--slow"));
        String id = ServiceProgram.idOfJobThatRuns(program);
        program.destroyForcibly();
        assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(JobsHere.processes(folder)).as("machines outlive the service").isNotEmpty();
        try (JobService next = service()) {
            assertThat(JobsHere.processes(folder)).isEmpty();
            JobRecord record = next.history().job(id).orElseThrow();
            assertThat(record.state()).isEqualTo(JobState.FAILED);
            assertThat(record.failure()).contains("the server stopped");
            JobCost cost = Objects.requireNonNull(record.cost());
            assertThat(cost.stages()).isNotEmpty();
            assertThat(cost.paidMicros()).isPositive();
        }
        try (JobService again = service()) {
            assertThat(again.history().jobs()).hasSize(1);
        }
    }

    @Test
    void termsAreReadBackAndRefusedWhereTheyMakeNoSense() {
        Submission job = job();
        assertThat(Submission.parse(job.json().toString())).isEqualTo(job);
        JsonObject json = job.json();
        json.add("cloud", new JsonObject());
        assertThat(Submission.parse(json.toString()).cloud()).isEqualTo(LeaseTerms.STANDARD);
        json.getAsJsonObject("cloud").addProperty("stages", "dams");
        assertThat(Objects.requireNonNull(Submission.parse(json.toString()).cloud()).cut())
                .as("the former name")
                .isEqualTo(StageCut.BLOCKING);
        refuses("name", "heaven", "there is no cloud 'heaven'");
        refuses("machines", "65", "1 to 64 machines");
        refuses("waitSeconds", "0", "at least one second");
        refuses("stages", "nowhere", "plan, machines, blocking, exchanges");
        assertThatThrownBy(() -> Execution.of(2, "", false, LeaseTerms.STANDARD))
                .hasMessageContaining("leased");
        assertThatThrownBy(() -> Execution.of(0, "", true, LeaseTerms.STANDARD))
                .hasMessageContaining("leased");
    }

    private void refuses(String name, String value, String why) {
        JsonObject json = job().json();
        json.getAsJsonObject("cloud").addProperty(name, value);
        assertThatThrownBy(() -> Submission.parse(json.toString())).hasMessageContaining(why);
    }
}
