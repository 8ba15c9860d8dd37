package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.engine.hosted.HostedEngine;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;

/** Failures on Flink are reported like those elsewhere, and nothing is left behind. */
@ExtendWith(OneFlink.class)
@Timeout(120)
final class FailuresTest {
    private static final int LINES = 5_000;

    /** Slow enough for events during the job: half a second for each subtask. */
    private static final int LINES_PER_PAUSE = 50;

    /** Number of failures of the code; everything runs in this process. */
    private static final AtomicInteger FAILED = new AtomicInteger();

    @TempDir Path folder;

    private final OneFlink flink;

    FailuresTest(OneFlink flink) {
        this.flink = flink;
    }

    @Test
    void failingCodeIsReportedAsInThisProcess() throws Exception {
        Plan plan =
                plan(
                        (line, out) -> {
                            if (line.text(0).equals("line 4000")) {
                                FAILED.incrementAndGet();
                                throw new IllegalStateException("no such line");
                            }
                            out.emit(line);
                        });
        PetrichorException here = failure(jobs(), plan);
        FAILED.set(0);
        PetrichorException there = failure(jobs().with(flink.runtime()), plan);
        assertThat(FAILED).as("what failed once will fail again").hasValue(1);
        assertThat(there.code()).isEqualTo(here.code());
        assertThat(there).hasMessageContaining("no such line").hasMessageContaining("task \"");
        assertThat(folder.resolve("result")).doesNotExist();
    }

    @Test
    void aCancelledJobEndsAndLeavesNothing() throws Exception {
        JobMaster run = start(plan(slow()), JobWatcher.NONE);
        awaitRunning(run);
        run.cancel();
        assertThatThrownBy(run::await)
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("was cancelled");
        assertThat(run.image().state()).isEqualTo(JobState.CANCELED);
        assertThat(folder.resolve("result")).doesNotExist();
    }

    @Test
    void aStageWhoseMachineDiesRestartsWithAnExactResult() throws Exception {
        var restarts = new AtomicInteger();
        JobMaster run = start(plan(slow()), counting(restarts));
        awaitRunning(run);
        flink.cluster().addMachine();
        flink.cluster().loseMachine(0);
        flink.cluster().loseMachine(1);
        flink.cluster().addMachine();
        run.await();
        assertThat(restarts.get()).isPositive();
        assertThat(run.image().state()).isEqualTo(JobState.FINISHED);
        assertThat(Files.readAllLines(folder.resolve("result")))
                .isEqualTo(
                        IntStream.range(0, LINES)
                                .mapToObj(i -> "line " + i + ",1")
                                .sorted()
                                .toList());
    }

    @Test
    void figuresOfTasksArriveAtTheEndOfTheJob() throws Exception {
        JobMaster run = start(plan((line, out) -> out.emit(line)), JobWatcher.NONE);
        run.await();
        long read =
                run.image().subtasks().values().stream()
                        .mapToLong(vertex -> vertex.metrics().recordsIn())
                        .max()
                        .orElse(0);
        assertThat(read).isPositive();
    }

    private Jobs jobs() {
        return Jobs.local().with(options());
    }

    private EngineOptions options() {
        return EngineOptions.ofThisProcess().withSpillFolder(folder);
    }

    private static PetrichorException failure(Jobs jobs, Plan plan) {
        try {
            jobs.run(plan);
        } catch (PetrichorException e) {
            return e;
        }
        throw new AssertionError("it did not fail");
    }

    private JobMaster start(Plan plan, JobWatcher watcher) {
        var parts = Compiler.standard().compile(plan).parts();
        return new HostedEngine(options(), flink.runtime())
                .start(parts.getFirst().graph(), watcher);
    }

    private static JobWatcher counting(AtomicInteger restarts) {
        return new JobWatcher() {
            @Override
            public void began(ExecutionGraph image) {}

            @Override
            public void changed(ExecutionDelta delta) {
                if (delta instanceof ExecutionDelta.StageRestarted) {
                    restarts.incrementAndGet();
                }
            }
        };
    }

    private static void awaitRunning(JobMaster run) throws InterruptedException {
        while (run.image().subtasks().values().stream()
                .noneMatch(vertex -> vertex.state() == TaskState.RUNNING)) {
            if (run.image().state().hasEnded()) {
                throw new AssertionError("it ended before it ran: " + run.image().state());
            }
            Thread.sleep(10);
        }
    }

    private static MapCode slow() {
        return (line, out) -> {
            if (line.text(0).hashCode() % LINES_PER_PAUSE == 0) {
                try {
                    Thread.sleep(30);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            out.emit(line);
        };
    }

    private Plan plan(MapCode code) throws Exception {
        Path text =
                Files.write(
                        folder.resolve("text"),
                        IntStream.range(0, LINES).mapToObj(i -> "line " + i).toList());
        RecordType line = RecordType.of(Field.text("line"));
        Plan plan = Plan.named("lines").parallelism(3);
        plan.read(new TextSource(text.toString()))
                .map("look", line, code)
                .groupBy("line")
                .aggregate(Aggregate.count())
                .sortBy(Key.of(0))
                .write(
                        new CsvSink(
                                Target.file(folder.resolve("result").toString()),
                                new CsvSource.Dialect(',', false)));
        return plan;
    }
}
