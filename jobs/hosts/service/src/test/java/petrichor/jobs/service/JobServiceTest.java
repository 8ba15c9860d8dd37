package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.testkit.ProgramJar;
import petrichor.testing.process.CommandLines;

/** Submitted jobs, good and bad, each in its own process: what becomes of them and the service. */
@Timeout(120)
final class JobServiceTest {
    @TempDir private static Path shared;

    private static byte[] jar;

    @TempDir private Path folder;

    private @Nullable JobService open;

    @BeforeAll
    static void compile() throws IOException {
        jar = Files.readAllBytes(ProgramJar.compile(shared, "Program", source()));
    }

    /** One program, told by its first argument what to do with the numbers 0 to 9,999. */
    private static String source() {
        return """
        import java.util.*;
        import petrichor.jobs.formats.*;
        import petrichor.jobs.local.*;
        import petrichor.jobs.pact.Plan;
        import petrichor.jobs.records.*;

        public final class Program implements JobProgram {
            static final RecordType NUMBER = RecordType.of(Field.int64("number"));
            static final List<byte[]> HELD = new ArrayList<>();

            public static final class NoJob {}

            static void pause() {
                try {
                    Thread.sleep(20);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public Plan plan(Arguments arguments) throws Exception {
                String what = arguments.text("what");
                if (what.equals("no plan")) {
                    throw new IllegalStateException("no idea");
                }
                if (what.equals("old jar")) {
                    throw new NoClassDefFoundError("petrichor/jobs/records/Record");
                }
                if (what.equals("exit")) {
                    System.exit(0);
                }
                while (what.equals("endless plan")) {
                    Thread.sleep(10);
                }
                System.out.println("the program says " + what);
                Plan plan = Plan.named(what).parallelism(2);
                plan.read(new TextSource(arguments.text("in")))
                    .map("step", NUMBER, (in, out) -> {
                        long number = Long.parseLong(in.text(0));
                        switch (what) {
                            case "throw" -> { if (number == 4711) throw new IllegalStateException("4711!"); }
                            case "loop" -> { while (true) Thread.onSpinWait(); }
                            case "slow" -> pause();
                            case "take all memory" -> {
                                while (true) HELD.add(new byte[1 << 20]);
                            }
                            case "wrong type" -> out.record().text(0, "seven").emit();
                            case "halt" -> Runtime.getRuntime().halt(3);
                            default -> {}
                        }
                        out.record().int64(0, number % 10).emit();
                    })
                    .groupBy("number")
                    .aggregate(Aggregate.count())
                    .write(new CsvSink(
                            Target.file(arguments.text("out")), CsvSource.Dialect.COMMA));
                return plan;
            }
        }
        """;
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        JobService service = open;
        if (service != null) {
            service.close();
            try (var left = Files.list(folder.resolve("jobs/running"))) {
                assertThat(left).isEmpty();
            }
        }
        Set<String> files;
        try (var all = Files.list(folder)) {
            files = all.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
        assertThat(files).noneMatch(name -> name.startsWith("."));
        assertThat(ProcessHandle.current().children().filter(JobServiceTest::isOfAJob)).isEmpty();
    }

    private static boolean isOfAJob(ProcessHandle process) {
        return process.isAlive() && CommandLines.of(process).contains("JobProcessMain");
    }

    @Test
    void theFolderOfJobsIsInaccessibleToOtherUsers() throws Exception {
        assertThat(service()).isNotNull();
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(folder.resolve("jobs"))))
                .isEqualTo("rwx------");
    }

    private JobService service() {
        return service(JobSettings.in(folder.resolve("jobs")));
    }

    private JobService service(JobSettings settings) {
        JobService service = JobService.open(settings.withJobMemoryBytes(96 << 20));
        open = service;
        return service;
    }

    private Submission of(String what) throws IOException {
        Path in = folder.resolve("in.txt");
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            numbers.add(Integer.toString(i));
        }
        Files.write(in, numbers);
        return new Submission(
                null, List.of("--what", what, "--in", in.toString(), "--out", out().toString()));
    }

    private Path out() {
        return folder.resolve("out.csv");
    }

    private static JobSnapshot end(JobService service, String id) throws InterruptedException {
        try (JobSubscription following = service.follow(id)) {
            while (!following.isOver()) {
                following.next(Duration.ofSeconds(1));
            }
        }
        return service.snapshot(id);
    }

    private JobSnapshot run(JobService service, String what) throws Exception {
        return end(service, service.submit(jar, of(what)).id());
    }

    @Test
    void aJobRunsAndIsRemembered() throws Exception {
        JobService service = service();
        JobSnapshot done = run(service, "count");
        assertThat(done.failure()).isNull();
        assertThat(done.state()).isEqualTo(JobState.FINISHED);
        assertThat(done.name()).isEqualTo("count");
        assertThat(Files.readAllLines(out())).hasSize(11).contains("7,1000");
        assertThat(done.tasks()).allMatch(task -> task.state().hasEnded());
        assertThat(done.tasks()).anyMatch(task -> task.metrics().recordsIn() == 10_000);
        assertThat(done.tasks())
                .flatMap(task -> task.metrics().channels())
                .isNotEmpty()
                .allMatch(channel -> channel.bytes() > 0);
        assertThat(service.show(done.id()).get("output").toString()).contains("says count");
        assertThat(service.show(done.id()).get("plan").toString()).contains("hash");

        service.close();
        JobService next = service();
        assertThat(next.history().jobs()).hasSize(1);
        var record = next.history().jobs().getFirst();
        assertThat(record.id()).isEqualTo(done.id());
        assertThat(record.tasks())
                .isNotEmpty()
                .allMatch(task -> !task.signature().digits().isEmpty())
                .anyMatch(task -> task.lesson().parallelism() > 0);
        assertThat(next.history().learned()).isNotEmpty();
    }

    @Test
    void errorsInUserCodeFailTheJobWithTheirPosition() throws Exception {
        JobService service = service();
        JobSnapshot thrown = run(service, "throw");
        assertThat(thrown.state()).isEqualTo(JobState.FAILED);
        assertThat(thrown.failure()).contains("4711!").contains("\"step\"").contains("at byte");
        assertThat(run(service, "wrong type").failure()).contains("\"step\"").contains("number");
        assertThat(run(service, "no plan").failure()).contains("no idea").contains("Program");
        assertThat(run(service, "old jar").failure()).contains("compile it again");
        assertThat(run(service, "exit").failure()).contains("System.exit");
        assertThat(run(service, "count").state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void codeThatTakesAllMemoryEndsItsJobOnly() throws Exception {
        JobService service = service();
        JobSnapshot taken = run(service, "take all memory");
        assertThat(taken.state()).isEqualTo(JobState.FAILED);
        assertThat(taken.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        assertThat(taken.failure()).contains("OutOfMemoryError").contains("step");
        assertThat(run(service, "count").state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void invalidSubmissionsAreRefused() throws Exception {
        JobService service = service();
        Submission missing = new Submission("Missing", List.of());
        assertThat(end(service, service.submit(jar, missing).id()).failure())
                .contains("no class Missing");
        Submission other = new Submission("Program$NoJob", List.of());
        assertThat(end(service, service.submit(jar, other).id()).failure()).contains("JobProgram");
        Submission empty = new Submission(null, List.of());
        assertThat(end(service, service.submit(jar, empty).id()).failure()).contains("--what");
        assertThatThrownBy(() -> service.submit(new byte[] {1, 2, 3, 4}, empty))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("neither a jar");
        Submission unreadable =
                new Submission(
                        null,
                        List.of("--what", "x", "--in", "/nowhere/in", "--out", out().toString()));
        Submission elsewhere = of("fine").with(new Execution.OtherRuntime("hadoop://127.0.0.1:9"));
        assertThat(end(service, service.submit(jar, elsewhere).id()).failure())
                .contains("there is no backend 'hadoop'");
        assertThatThrownBy(() -> Execution.of(2, "flink", false, null))
                .hasMessageContaining("exclude each other");
        JobSnapshot failed = end(service, service.submit(jar, unreadable).id());
        assertThat(failed.failure()).contains("/nowhere/in").contains("no such file");
    }

    @Test
    void jobsWaitForTheirTurnAndTooManyAreRefused() throws Exception {
        JobService service =
                service(JobSettings.in(folder.resolve("jobs")).withRunningMax(1).withQueuedMax(1));
        JobSnapshot first = service.submit(jar, of("endless plan"));
        JobSnapshot second = service.submit(jar, of("count"));
        assertThat(second.state()).isEqualTo(JobState.SCHEDULED);
        assertThatThrownBy(() -> service.submit(jar, of("count")))
                .hasMessageContaining("the queue is full (1 jobs)");
        assertThat(service.cancel(second.id()).state()).isEqualTo(JobState.CANCELED);
        JobSnapshot third = service.submit(jar, of("count"));
        service.cancel(first.id());
        assertThat(end(service, first.id()).state()).isEqualTo(JobState.CANCELED);
        assertThat(end(service, third.id()).state()).isEqualTo(JobState.FINISHED);
        assertThat(service.jobs()).extracting(JobSnapshot::id).startsWith(third.id());
        assertThat(service.history().jobs()).hasSize(3);
    }

    @Test
    void aRunningJobIsCancelledWhereItIs() throws Exception {
        JobService service = service();
        String id = service.submit(jar, of("slow")).id();
        awaitRunningTask(service, id);
        service.cancel(id);
        JobSnapshot end = end(service, id);
        assertThat(end.state()).isEqualTo(JobState.CANCELED);
        assertThat(out()).doesNotExist();
        assertThat(service.cancel(id).state()).isEqualTo(JobState.CANCELED);
    }

    private static void awaitRunningTask(JobService service, String id)
            throws InterruptedException {
        try (JobSubscription following = service.follow(id)) {
            while (service.snapshot(id).tasks().stream().noneMatch(TaskSnapshot::isRunning)) {
                following.next(Duration.ofSeconds(1));
            }
        }
    }

    @Test
    void aProcessThatIsKilledFailsItsJobAndLeavesNothing() throws Exception {
        JobService service = service();
        String id = service.submit(jar, of("slow")).id();
        awaitRunningTask(service, id);
        ProcessHandle.current()
                .descendants()
                .filter(JobServiceTest::isOfAJob)
                .forEach(ProcessHandle::destroyForcibly);
        JobSnapshot killed = end(service, id);
        assertThat(killed.state()).isEqualTo(JobState.FAILED);
        assertThat(killed.failure()).contains("was killed");
        JobSnapshot halted = run(service, "halt");
        assertThat(halted.failure()).contains("exit code 3");
        assertThat(run(service, "count").state()).isEqualTo(JobState.FINISHED);
    }

    @Test
    void theNextJobUsesAReadyProcess() throws Exception {
        JobService service = service();
        assertThat(service.ready()).isEmpty();
        run(service, "count");
        long until = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (service.ready().isEmpty() && System.nanoTime() < until) {
            Thread.onSpinWait();
        }
        long ready = service.ready().orElseThrow();
        Files.delete(out());
        String id = service.submit(jar, of("slow")).id();
        awaitRunningTask(service, id);
        assertThat(
                        ProcessHandle.current()
                                .children()
                                .filter(JobServiceTest::isOfAJob)
                                .map(ProcessHandle::pid))
                .containsExactly(ready);
    }

    @Test
    void aServiceThatIsClosedEndsItsJobs() throws Exception {
        JobService service = service();
        String id = service.submit(jar, of("slow")).id();
        awaitRunningTask(service, id);
        service.close();
        assertThat(service.snapshot(id).state()).isEqualTo(JobState.CANCELED);
        assertThatThrownBy(() -> service.submit(jar, of("count"))).hasMessageContaining("stopping");
    }
}
