package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSink;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Explanation;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;
import petrichor.testing.process.CommandLines;

/**
 * Failing user code, files and disks, with tasks in this process (0 workers) and in others: the
 * error names the task, the position in its input and the reason; nothing is left behind; and the
 * next job runs.
 */
@Timeout(120)
final class FailingJobsTest {
    private static final int LINES = 10_000;
    private static final RecordType LINE = RecordType.of(Field.text("line"));
    private static final RecordType OTHER = RecordType.of(Field.int64("number"));

    /** In a worker process: user code is copied there, static fields are not. */
    private static final List<byte[]> HELD = new ArrayList<>();

    @TempDir Path folder;

    @TempDir Path spill;

    @BeforeEach
    void input() throws IOException {
        Files.write(
                folder.resolve("in.txt"),
                IntStream.range(0, LINES).mapToObj(Integer::toString).toList());
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(spill).isEmptyDirectory();
        Set<String> files;
        try (var all = Files.list(folder)) {
            files = all.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        }
        assertThat(files).noneMatch(name -> name.startsWith("."));
        assertThat(ProcessHandle.current().descendants())
                .noneMatch(process -> CommandLines.of(process).contains("WorkerMain"));
    }

    private Jobs jobs(int workers) {
        Jobs jobs =
                Jobs.local()
                        .with(
                                EngineOptions.ofThisProcess()
                                        .withMemoryBytes(16 << 20)
                                        .withSpillFolder(spill));
        return workers == 0
                ? jobs
                : jobs.with(
                        Workers.of(
                                workers,
                                List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")));
    }

    private Plan plan(MapCode code) {
        Plan plan = Plan.named("tested").parallelism(2);
        plan.read(new TextSource(folder.resolve("in.txt").toString()))
                .map("step", LINE, code)
                .write(new TextSink(Target.file(out().toString())));
        return plan;
    }

    private Path out() {
        return folder.resolve("out.txt");
    }

    private PetrichorException failure(int workers, Plan plan) {
        return failure(() -> jobs(workers).run(plan));
    }

    private PetrichorException failure(Runnable run) {
        try {
            run.run();
        } catch (PetrichorException failed) {
            assertThat(out()).doesNotExist();
            return failed;
        }
        throw new AssertionError("the job succeeded");
    }

    /** The error names the step, the subtask, the position in the input, and the reason. */
    private void refused(int workers, MapCode code, ErrorCode kind, String reason) {
        assertThat(failure(workers, plan(code)))
                .hasMessageMatching("(?s)task \".*step\" \\(subtask [12] of 2\\) failed in .*")
                .hasMessageMatching("(?s).*in\\.txt \\[\\d+, \\d+\\) at byte \\d+, .*")
                .hasMessageContaining("in the code of \"step\"")
                .hasMessageContaining(reason)
                .extracting(PetrichorException::code)
                .isEqualTo(kind);
    }

    private void theNextOneRuns(int workers) throws IOException {
        jobs(workers).run(plan((in, out) -> out.emit(in)));
        assertThat(Files.readAllLines(out())).hasSize(LINES);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void failuresOfCodeNameTheTaskAndThePosition(int workers) throws IOException {
        ErrorCode wrong = ErrorCode.INVALID_ARGUMENT;
        refused(
                workers,
                (in, out) -> {
                    if (in.text(0).equals("4711")) {
                        throw new IllegalStateException("not 4711");
                    }
                },
                wrong,
                "java.lang.IllegalStateException: not 4711");
        refused(workers, (in, out) -> out.emit(nothing()), wrong, "null was emitted");
        refused(
                workers,
                (in, out) -> out.record().text(0, noText()).emit(),
                wrong,
                "the text of field line is null");
        refused(
                workers,
                (in, out) -> out.record().int64(0, 7).emit(),
                wrong,
                "field 0 (line) holds TEXT");
        refused(
                workers,
                (in, out) -> out.emit(new RecordBuilder(OTHER).int64(0, 7).finish()),
                wrong,
                "a record of type (number INT64) was emitted; the output requires");
        theNextOneRuns(workers);
    }

    @SuppressWarnings("NullAway") // what is tested: user code need not be checked for null
    private static RecordView nothing() {
        return null;
    }

    @SuppressWarnings("NullAway")
    private static String noText() {
        return null;
    }

    @Test
    void anArrayLargerThanMemoryFailsOnlyItsJob() throws IOException {
        refused(
                0,
                (in, out) -> HELD.add(new byte[Integer.MAX_VALUE]),
                ErrorCode.RESOURCE_EXHAUSTED,
                "OutOfMemoryError");
        theNextOneRuns(0);
    }

    @Test
    void codeThatLeaksMemoryFailsOnlyItsJob() throws IOException {
        refused(2, (in, out) -> keep(1 << 20), ErrorCode.RESOURCE_EXHAUSTED, "OutOfMemoryError");
        // With small objects no memory at all is left, not even for an error text.
        refused(2, (in, out) -> keep(8), ErrorCode.RESOURCE_EXHAUSTED, "OutOfMemoryError");
        theNextOneRuns(2);
    }

    private static void keep(int bytes) {
        while (true) {
            synchronized (HELD) {
                HELD.add(new byte[bytes]);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void unreadableInputIsReportedWithItsPosition(int workers) throws IOException {
        Plan missing = Plan.named("missing");
        missing.read(new TextSource("/nowhere/in.txt"))
                .write(new TextSink(Target.file(out().toString())));
        assertThat(failure(workers, missing))
                .hasMessageContaining("/nowhere/in.txt")
                .hasMessageContaining("there is no such file");
        Files.write(folder.resolve("numbers.csv"), List.of("1", "2", "three", "4"));
        Plan wrong = Plan.named("wrong");
        wrong.read(
                        CsvSource.of(
                                folder.resolve("numbers.csv").toString(),
                                new CsvSource.Dialect(',', false),
                                Field.int64("number")))
                .map("lines", LINE, (in, out) -> out.record().text(0, "x").emit())
                .write(new TextSink(Target.file(out().toString())));
        assertThat(failure(workers, wrong))
                .hasMessageContaining("numbers.csv")
                .hasMessageContaining("at ")
                .hasMessageContaining("three");
        theNextOneRuns(workers);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void aFullDiskIsReported(int workers) throws IOException {
        Plan plan = plan((in, out) -> out.record().text(0, "z".repeat(1000)).emit());
        assertThat(failure(() -> jobs(workers).start(plan, new FullDisk()).await()))
                .hasMessageContaining("task \"")
                .hasMessageContaining("cannot write to " + out())
                .hasMessageContaining("No space left on device")
                .extracting(PetrichorException::code)
                .isEqualTo(ErrorCode.RESOURCE_EXHAUSTED);
        theNextOneRuns(workers);
    }

    @Test
    void nonSerializableCodeIsRefusedBeforeAnythingRuns() {
        Object notSerializable = new Object();
        assertThat(failure(2, plan((in, out) -> out.record().text(0, "" + notSerializable).emit())))
                .hasMessageContaining("cannot be sent to worker processes")
                .hasMessageContaining("java.lang.Object");
    }

    @Test
    void codeThatLoopsInAWorkerEndsWhenItsJobIsCancelled() throws IOException {
        var running = new Running();
        PlanRun run =
                jobs(2).start(
                                plan(
                                        (in, out) -> {
                                            while (true) {
                                                Thread.onSpinWait();
                                            }
                                        }),
                                running);
        running.await();
        long started = System.nanoTime();
        run.cancel();
        assertThatThrownBy(run::await).hasMessageContaining("was cancelled");
        assertThat(Duration.ofNanos(System.nanoTime() - started))
                .isLessThan(Duration.ofSeconds(60));
        assertThat(out()).doesNotExist();
        theNextOneRuns(2);
    }

    /** Fills the disk after the sinks have removed older output, and before they write. */
    private final class FullDisk implements RunWatcher {
        @Override
        public void compiled(List<Explanation> parts) {}

        @Override
        public void enters(int part, int round) {}

        @Override
        public void began(ExecutionGraph image) {
            try {
                for (int i = 0; i < 2; i++) {
                    Files.createSymbolicLink(
                            folder.resolve(".out.txt.part-0000" + i), Path.of("/dev/full"));
                }
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        @Override
        public void changed(ExecutionDelta delta) {}
    }

    /** Waits until a subtask runs. */
    private static final class Running implements RunWatcher {
        private boolean is;

        @Override
        public void compiled(List<Explanation> parts) {}

        @Override
        public void enters(int part, int round) {}

        @Override
        public void began(ExecutionGraph image) {}

        @Override
        public synchronized void changed(ExecutionDelta delta) {
            is |=
                    delta instanceof ExecutionDelta.SubtaskMoved(var _, var to, var _)
                            && to == TaskState.RUNNING;
            notifyAll();
        }

        synchronized void await() {
            try {
                while (!is) {
                    wait();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
