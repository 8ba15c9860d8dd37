package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.ErrorCode;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.testkit.ProgramJar;
import petrichor.testing.process.CommandLines;

/**
 * Submitted jobs that must not harm anybody, in one process (0 workers) and in several: each fails
 * and says which task, where in its input and why; the service lives, and runs the next one.
 */
@Timeout(180)
final class HarmfulJobsTest {
    private static final int NUMBERS = 10_000;

    /** Nothing spills but what is meant to. */
    private static final long SPILL_BYTES_MAX = 4 << 20;

    private static final String PROGRAM =
            """
            import java.io.IOException;
            import java.nio.file.*;
            import java.util.*;
            import petrichor.jobs.formats.*;
            import petrichor.jobs.jobgraph.Sink;
            import petrichor.jobs.local.*;
            import petrichor.jobs.pact.*;
            import petrichor.jobs.records.*;

            public final class Program implements JobProgram {
                static final RecordType NUMBER = RecordType.of(Field.text("number"));
                static final List<byte[]> HELD = new ArrayList<>();

                @Override
                public Plan plan(Arguments arguments) throws Exception {
                    String what = arguments.text("what");
                    Path result = Path.of(arguments.text("out"));
                    Plan plan = Plan.named(what).parallelism(2);
                    DataSet numbers = plan.read(new TextSource(arguments.text("in")));
                    if (what.equals("missing key")) {
                        numbers.groupBy("numbre");
                    }
                    if (what.equals("circle")) {
                        numbers = plan.iterate(numbers, 3).current();
                    }
                    numbers.map("step", NUMBER, (in, out) -> {
                            String number = in.text(0);
                            switch (what) {
                                case "throw" -> {
                                    if (number.equals("4711")) {
                                        throw new IllegalStateException("not 4711");
                                    }
                                }
                                case "null record" -> out.emit(null);
                                case "null text" -> out.record().text(0, (String) null).emit();
                                case "wrong type" -> out.record().int64(0, 7).emit();
                                case "keep" -> {
                                    while (true) {
                                        synchronized (HELD) {
                                            HELD.add(new byte[8]);
                                        }
                                    }
                                }
                                case "slow" -> {
                                    if (number.endsWith("00")) {
                                        Thread.sleep(10);
                                    }
                                }
                                case "spill" -> {
                                    for (int i = 0; i < 100; i++) {
                                        out.record().text(0, i + "z".repeat(100) + number).emit();
                                    }
                                }
                                case "loop" -> {
                                    while (true) {
                                        Thread.onSpinWait();
                                    }
                                }
                                default -> {}
                            }
                            out.record().text(0, number + "z".repeat(100)).emit();
                        })
                        .groupBy("number")
                        .aggregate(Aggregate.count())
                        .write(sink(what, new CsvSink(Target.file(result.toString()), CsvSource.Dialect.COMMA)));
                    return plan;
                }

                static Sink sink(String what, CsvSink sink) {
                    return what.equals("full disk") ? new FullDisk(sink) : sink;
                }

                /** Its parts are on a device without space. */
                record FullDisk(CsvSink sink) implements Sink {
                    @Override
                    public String name() {
                        return sink.name();
                    }

                    @Override
                    public void check(RecordType type) {
                        sink.check(type);
                    }

                    @Override
                    public void begin(RecordType type, int subtasks) throws IOException {
                        sink.begin(type, subtasks);
                        for (int i = 0; i < subtasks; i++) {
                            Files.createSymbolicLink(sink.target().part(i, ""), Path.of("/dev/full"));
                        }
                    }

                    @Override
                    public Sink.Writer open(RecordType type, int subtask) throws IOException {
                        return sink.open(type, subtask);
                    }

                    @Override
                    public void commit(int subtasks) throws IOException {
                        sink.commit(subtasks);
                    }

                    @Override
                    public void abort(int subtasks) throws IOException {
                        sink.abort(subtasks);
                    }
                }
            }
            """;

    @TempDir private static Path shared;

    private static byte[] jar;

    private static JobService service;

    @TempDir private Path folder;

    @BeforeAll
    static void start() throws IOException {
        jar = Files.readAllBytes(ProgramJar.compile(shared, "Program", PROGRAM));
        service =
                JobService.open(
                        JobSettings.in(shared.resolve("jobs"))
                                .withJobMemoryBytes(96 << 20)
                                .withSpillBytesMax(SPILL_BYTES_MAX)
                                .withCancelWaitMax(Duration.ofSeconds(2)));
    }

    @BeforeEach
    void input() throws IOException {
        Files.write(
                folder.resolve("in.txt"),
                IntStream.range(0, NUMBERS).mapToObj(Integer::toString).toList());
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(shared.resolve("jobs/running")).isEmptyDirectory();
        Set<String> files;
        try (var all = Files.list(folder)) {
            files = all.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
        assertThat(files).noneMatch(name -> name.startsWith("."));
        assertThat(commands()).noneMatch(command -> command.contains("WorkerMain"));
    }

    @AfterAll
    static void stop() {
        service.close();
        assertThat(commands()).noneMatch(command -> command.contains("JobProcessMain"));
    }

    private static List<String> commands() {
        return ProcessHandle.current()
                .descendants()
                .filter(ProcessHandle::isAlive)
                .map(CommandLines::of)
                .toList();
    }

    private Path out() {
        return folder.resolve("out.csv");
    }

    private String submit(int workers, String what, String in) {
        return service.submit(
                        jar,
                        new Submission(
                                        null,
                                        List.of(
                                                "--what",
                                                what,
                                                "--in",
                                                in,
                                                "--out",
                                                out().toString()))
                                .with(Execution.of(workers, "", false, null)))
                .id();
    }

    private String submit(int workers, String what) {
        return submit(workers, what, folder.resolve("in.txt").toString());
    }

    private static JobSnapshot end(String id) throws InterruptedException {
        try (JobSubscription following = service.follow(id)) {
            while (!following.isOver()) {
                following.next(Duration.ofSeconds(1));
            }
        }
        return service.snapshot(id);
    }

    private JobSnapshot failed(String id, ErrorCode code) throws InterruptedException {
        JobSnapshot end = end(id);
        assertThat(end.state()).as(end.failure()).isEqualTo(JobState.FAILED);
        assertThat(end.code()).as(end.failure()).isEqualTo(code);
        assertThat(out()).doesNotExist();
        return end;
    }

    /** It names the step, the subtask, the place in the input, and what was wrong. */
    private void refused(int workers, String what, ErrorCode code, String reason)
            throws InterruptedException {
        assertThat(failed(submit(workers, what), code).failure())
                .matches("(?s)task \".*step.*\" \\(subtask [12] of 2\\) failed in .*")
                .matches("(?s).*in\\.txt \\[\\d+, \\d+\\) at byte \\d+, .*")
                .contains("in the code of \"step\"")
                .contains(reason);
    }

    private void theNextOneRuns(int workers) throws Exception {
        JobSnapshot done = end(submit(workers, "count"));
        assertThat(done.state()).as(done.failure()).isEqualTo(JobState.FINISHED);
        assertThat(Files.readAllLines(out())).hasSize(NUMBERS + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void errorsInUserCodeFailTheJobWithTheirPosition(int workers) throws Exception {
        ErrorCode wrong = ErrorCode.INVALID_ARGUMENT;
        refused(workers, "throw", wrong, "IllegalStateException: not 4711");
        if (workers == 0) {
            refused(workers, "null record", wrong, "null was emitted");
            refused(workers, "null text", wrong, "the text of field number is null");
            refused(workers, "wrong type", wrong, "field 0 (number) holds TEXT");
        }
        theNextOneRuns(workers);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void codeThatKeepsEverythingFailsItsJob(int workers) throws Exception {
        refused(workers, "keep", ErrorCode.RESOURCE_EXHAUSTED, "OutOfMemoryError");
        theNextOneRuns(workers);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void codeThatLoopsEndsSoonAfterItsJobIsCancelled(int workers) throws Exception {
        String id = submit(workers, "loop");
        awaitRunningTask(id);
        long started = System.nanoTime();
        service.cancel(id);
        assertThat(end(id).state()).isEqualTo(JobState.CANCELED);
        assertThat(Duration.ofNanos(System.nanoTime() - started))
                .isLessThan(Duration.ofSeconds(60));
        assertThat(out()).doesNotExist();
        theNextOneRuns(0);
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void aJobThatSpillsMoreThanItMayFails(int workers) throws Exception {
        long each = SPILL_BYTES_MAX / Math.max(1, workers);
        assertThat(failed(submit(workers, "spill"), ErrorCode.RESOURCE_EXHAUSTED).failure())
                .contains("the job reached its limit of " + each + " bytes of spill files")
                .contains("jobs.spill-bytes-max");
        theNextOneRuns(workers);
    }

    private static void awaitRunningTask(String id) throws InterruptedException {
        try (JobSubscription following = service.follow(id)) {
            while (service.snapshot(id).tasks().stream().noneMatch(TaskSnapshot::isRunning)) {
                following.next(Duration.ofSeconds(1));
            }
        }
    }

    @Test
    void aWorkerThatIsKilledCostsItsStageAndTheJobsProcessTheJob() throws Exception {
        String id = submit(2, "slow");
        awaitRunningTask(id);
        worker().destroyForcibly();
        JobSnapshot done = end(id);
        assertThat(done.state()).as(done.failure()).isEqualTo(JobState.FINISHED);
        assertThat(Files.readAllLines(out())).hasSize(NUMBERS + 1);
        Files.delete(out());
        channelsAreTold(done);

        String looping = submit(2, "loop");
        awaitRunningTask(looping);
        worker().parent().ifPresent(ProcessHandle::destroyForcibly);
        assertThat(failed(looping, ErrorCode.UNAVAILABLE).failure()).contains("was killed");
        assertThat(commands()).noneMatch(command -> command.contains("WorkerMain"));
        theNextOneRuns(2);
    }

    private static void channelsAreTold(JobSnapshot done) {
        SubtaskMetrics sender = done.tasks().getFirst().metrics();
        assertThat(sender.channelBytes()).isPositive();
        assertThat(sender.wireBytes()).isPositive();
        assertThat(sender.level()).isIn("none", "lz4", "zstd-1", "zstd-3", "zstd-9");
        var json = service.show(done.id());
        assertThat(json.getAsJsonObject("submission").get("workers").getAsInt()).isEqualTo(2);
        assertThat(json.getAsJsonArray("tasks").get(0).toString())
                .contains("\"channelBytes\":" + sender.channelBytes())
                .contains("\"wireBytes\":" + sender.wireBytes())
                .contains("\"saturation\":")
                .contains("\"level\":\"" + sender.level() + "\"");
        JobSnapshot read = JobSnapshot.parse(json);
        assertThat(read.tasks().getFirst().metrics()).isEqualTo(sender);
        assertThat(read.submission().execution()).isEqualTo(new Execution.WorkerProcesses(2));
    }

    /** One of them; its parent is the process of the job. */
    private static ProcessHandle worker() {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> CommandLines.of(process).contains("WorkerMain"))
                .findFirst()
                .orElseThrow();
    }

    @Tag("slow")
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void unreadableInputsAndFullDisksAreReported(int workers) throws Exception {
        String missing = submit(workers, "count", "/nowhere/in.txt");
        assertThat(failed(missing, ErrorCode.NOT_FOUND).failure())
                .contains("/nowhere/in.txt")
                .contains("there is no such file");
        String full = submit(workers, "full disk");
        assertThat(failed(full, ErrorCode.RESOURCE_EXHAUSTED).failure())
                .contains("task \"")
                .contains("at record ")
                .contains(out().toString())
                .contains("No space left on device");
        theNextOneRuns(0);
    }

    @Test
    void anInvalidPlanIsReported() throws Exception {
        String key = submit(0, "missing key");
        assertThat(failed(key, ErrorCode.INVALID_ARGUMENT).failure())
                .contains("no field \"numbre\"")
                .contains("its fields are line");
        String circle = submit(0, "circle");
        assertThat(failed(circle, ErrorCode.INVALID_ARGUMENT).failure()).contains("iteration");
        theNextOneRuns(0);
    }
}
