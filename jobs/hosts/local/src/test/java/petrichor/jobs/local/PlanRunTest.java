package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Explanation;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.testkit.Rows;

/** Following and cancelling running plans. */
@Timeout(60)
final class PlanRunTest {
    private static final RecordType NUMBER = RecordType.of(Field.int64("number"));

    /** Static: user code is copied for each subtask. */
    private static final CountDownLatch RUNNING = new CountDownLatch(1);

    @TempDir Path folder;

    private final List<String> told = new ArrayList<>();

    private final RunWatcher watcher =
            new RunWatcher() {
                @Override
                public synchronized void compiled(List<Explanation> parts) {
                    told.add("compiled " + parts.size());
                }

                @Override
                public synchronized void enters(int part, int round) {
                    told.add("part " + part + " round " + round);
                }

                @Override
                public synchronized void began(ExecutionGraph image) {
                    told.add("began");
                }

                @Override
                public synchronized void changed(ExecutionDelta delta) {
                    if (delta instanceof ExecutionDelta.JobMoved(var to, var _) && to.hasEnded()) {
                        told.add(to.toString());
                    }
                }
            };

    private PlanRun start(Plan plan) {
        return Jobs.local()
                .with(
                        EngineOptions.ofThisProcess()
                                .withMemoryBytes(16 << 20)
                                .withSpillFolder(folder))
                .start(plan, watcher);
    }

    @Test
    void everyRoundOfAnIterationIsReported() {
        var plan = Plan.named("doubling");
        var numbers =
                plan.read(
                        new Rows.ListSource(
                                "numbers",
                                NUMBER,
                                new ArrayList<>(
                                        Rows.of(NUMBER, 3, (builder, i) -> builder.int64(0, i)))));
        var loop = plan.iterate(numbers, 2);
        var next =
                loop.current()
                        .map(
                                "double",
                                NUMBER,
                                (in, out) -> out.record().int64(0, 2 * in.int64(0)).emit());
        var sink = new Rows.ListSink("doubled");
        loop.close(next).write(sink);

        start(plan).await();

        assertThat(sink.sortedRows()).containsExactly("(0)", "(4)", "(8)");
        assertThat(told).startsWith("compiled 3", "part 0 round 0", "began", "FINISHED");
        assertThat(told).containsSubsequence("part 1 round 0", "FINISHED", "part 1 round 1");
        assertThat(told).endsWith("part 2 round 0", "began", "FINISHED");
    }

    @Test
    void aCancelledRunEndsAndLeavesNothing() throws InterruptedException {
        var plan = Plan.named("endless");
        plan.read(
                        new Rows.ListSource(
                                "numbers",
                                NUMBER,
                                new ArrayList<>(
                                        Rows.of(
                                                NUMBER,
                                                100_000,
                                                (builder, i) -> builder.int64(0, i)))))
                .map(
                        "forever",
                        NUMBER,
                        (in, out) -> {
                            RUNNING.countDown();
                            for (int i = 0; i < 100_000; i++) {
                                out.emit(in);
                            }
                        })
                .groupBy("number")
                .aggregate(petrichor.jobs.records.Aggregate.count())
                .write(new Rows.ListSink("never"));
        var run = start(plan);
        assertThat(RUNNING.await(30, TimeUnit.SECONDS)).isTrue();
        run.cancel();
        assertThatThrownBy(run::await).hasMessageContaining("was cancelled");
        assertThat(told).endsWith(JobState.CANCELED.toString());
        assertThat(folder.toFile().list()).isEmpty();
    }

    @Test
    void argumentsAreNamedOrPositional() {
        var arguments = Arguments.of("in.txt", "--k", "3", "--fast", "--out=o", "last");
        assertThat(arguments.others()).containsExactly("in.txt", "last");
        assertThat(arguments.whole("k", 1)).isEqualTo(3);
        assertThat(arguments.text("out")).isEqualTo("o");
        assertThat(arguments.find("fast")).contains("true");
        assertThatThrownBy(() -> arguments.text("input")).hasMessageContaining("--input");
        assertThatThrownBy(() -> arguments.whole("out", 1)).hasMessageContaining("\"o\"");
    }
}
