package petrichor.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.groups.Tuple;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.assembly.Scalability;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Scaling;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.testkit.RandomScaling;

/** Live scaling: subtasks are added and removed while their task runs. */
@Timeout(120)
final class LiveScalingTest {
    private static final long PAUSE_NANOS = 100_000;

    /** Static, since user code is copied to its subtasks with all that it references. */
    private static final CountDownLatch LATE_ONE_RUNS = new CountDownLatch(2);

    private static final AtomicReference<@Nullable Thread> FIRST = new AtomicReference<>();

    @TempDir Path folder;

    private EngineOptions options() {
        return EngineOptions.ofThisProcess().withMemoryBytes(256 << 20).withSpillFolder(folder);
    }

    private static EngineOptions randomly(EngineOptions options, long seed) {
        return options.withScaling(() -> new RandomScaling(seed));
    }

    /** Pauses periodically, so that there is time to scale it. */
    private static MapCode slow(int every) {
        long[] seen = new long[1];
        return (in, out) -> {
            if (++seen[0] % every == 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            out.emit(in);
        };
    }

    private static Step step(String name, MapCode code, RecordType type) {
        return new Step.Map(name, code, type);
    }

    /**
     * A source, two consecutive tasks, of which the first has a third fused with it; a union, and
     * sinks with a lower parallelism.
     */
    private record Flow(TestGraph graph, Collected all, Collected twice) {
        static Flow of(List<Rows.Row> rows, int every) {
            TestGraph graph = new TestGraph("flow");
            JobVertex read = graph.read(rows, 2);
            RecordType type = read.outputType();
            JobVertex one =
                    graph.add(
                            "one",
                            new Operation.Relay(),
                            1,
                            List.of(TestGraph.In.of(read, new Shipping.Rebalance())),
                            step("one", slow(every), type));
            JobVertex within =
                    graph.add(
                            "within",
                            new Operation.Relay(),
                            1,
                            List.of(TestGraph.In.of(one, new Shipping.Forward())),
                            step("within", (in, out) -> out.emit(in), type));
            JobVertex two =
                    graph.add(
                            "two",
                            new Operation.Relay(),
                            2,
                            List.of(TestGraph.In.of(one, new Shipping.Rebalance())),
                            step("two", slow(2 * every), type));
            JobVertex sorted =
                    graph.add(
                            "sorted",
                            new Operation.Relay(),
                            3,
                            List.of(
                                    new TestGraph.In(
                                            two,
                                            new Shipping.HashPartition(Key.of(0)),
                                            new InputOrder.Sorted(Key.of(0)))));
            Collected all = graph.collect(sorted);
            JobVertex union =
                    graph.add(
                            "union",
                            new Operation.Relay(),
                            2,
                            List.of(TestGraph.In.of(two, new Shipping.Rebalance())));
            graph.union(within, union, 0, new Shipping.Rebalance());
            return new Flow(graph, all, graph.collect(union));
        }
    }

    private static List<Rows.Row> sorted(List<Rows.Row> rows) {
        return rows.stream().sorted(Rows.BY_ALL).toList();
    }

    private static List<Rows.Row> twice(List<Rows.Row> rows) {
        List<Rows.Row> both = new ArrayList<>(rows);
        both.addAll(rows);
        return sorted(both);
    }

    @Test
    void liveScalingNeitherLosesNorDuplicatesRecords() {
        int scaled = 0;
        for (int run = 0; run < 12; run++) {
            long seed = Rows.SEED + run;
            List<Rows.Row> rows = Rows.random(8_000, 500, seed);
            Flow flow = Flow.of(rows, 10);
            JobMaster job = new Engine(randomly(options(), seed)).start(flow.graph().graph());
            job.await();
            assertThat(sorted(flow.all().rows())).as("-Dseed=%d", seed).isEqualTo(sorted(rows));
            assertThat(sorted(flow.twice().rows())).as("-Dseed=%d", seed).isEqualTo(twice(rows));
            scaled += job.image().scalings().size();
        }
        assertThat(scaled).isPositive();
    }

    /** Most of these end while a subtask joins. */
    @Test
    void joiningAtTheEndOfTheInputIsAllOrNothing() {
        for (int run = 0; run < 150; run++) {
            long seed = Rows.SEED + run;
            List<Rows.Row> rows = Rows.random(300, 50, seed);
            Flow flow = Flow.of(rows, 40);
            new Engine(randomly(options(), seed)).run(flow.graph().graph());
            assertThat(sorted(flow.all().rows())).as("-Dseed=%d", seed).isEqualTo(sorted(rows));
            assertThat(sorted(flow.twice().rows())).as("-Dseed=%d", seed).isEqualTo(twice(rows));
        }
    }

    @Test
    void removedSubtasksLeaveNothingBehind() {
        TestGraph graph = new TestGraph("leaving");
        List<Rows.Row> rows = Rows.random(20_000, 500, Rows.SEED);
        JobVertex read = graph.read(rows, 1);
        JobVertex one = one(graph, read, slow(10));
        Collected collected = graph.collect(one);
        JobMaster job = new Engine(randomly(options(), Rows.SEED)).start(graph.graph());
        job.await();
        assertThat(sorted(collected.rows())).isEqualTo(sorted(rows));
        assertThat(job.image().scalings()).isNotEmpty();
        assertThat(job.blocksLent()).isZero();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("leaving task"));
    }

    private static JobVertex one(TestGraph graph, JobVertex from, MapCode code) {
        return graph.add(
                "one",
                new Operation.Relay(),
                1,
                List.of(TestGraph.In.of(from, new Shipping.Rebalance())),
                step("one", code, from.outputType()));
    }

    /** Always requests this parallelism for the only scalable task with an input. */
    private static Scaling always(int vertex, int subtasks) {
        return new Scaling() {
            @Override
            public Duration every() {
                return Duration.ofMillis(1);
            }

            @Override
            public List<Wish> wishes(
                    ExecutionGraph image, Map<Integer, Integer> present, Duration elapsed) {
                return present.getOrDefault(vertex, subtasks) == subtasks
                        ? List.of()
                        : List.of(new Wish(vertex, subtasks, "as always"));
            }
        };
    }

    @Test
    void anAddedSubtaskTakesWorkWhileTheOthersAreBusy() {
        TestGraph graph = new TestGraph("two at a time");
        List<Rows.Row> rows = Rows.random(2_000, 500, Rows.SEED);
        JobVertex one = one(graph, graph.read(rows, 1), waitingForAnother());
        Collected collected = graph.collect(one);
        JobMaster job =
                new Engine(options().withScaling(() -> always(one.id(), 2))).start(graph.graph());
        job.await();
        assertThat(sorted(collected.rows())).isEqualTo(sorted(rows));
        assertThat(job.image().scalings())
                .extracting(TaskScaling::from, TaskScaling::to, TaskScaling::why)
                .containsExactly(Tuple.tuple(1, 2, "as always"));
    }

    @Test
    void anAddedSubtaskFailsTheJobLikeAnyOther() {
        FIRST.set(null);
        TestGraph graph = new TestGraph("failing");
        List<Rows.Row> rows = Rows.random(20_000, 500, Rows.SEED);
        JobVertex one = one(graph, graph.read(rows, 1), failingInOthers());
        Collected collected = graph.collect(one);
        assertThatThrownBy(
                        () ->
                                new Engine(options().withScaling(() -> onceItRuns(one.id(), 3)))
                                        .run(graph.graph()))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("added while it ran")
                .hasMessageContaining("not me");
        assertThat(collected.aborted).isTrue();
    }

    /** Requests this parallelism after the planned subtask has read its first record. */
    private static Scaling onceItRuns(int vertex, int subtasks) {
        Scaling always = always(vertex, subtasks);
        return new Scaling() {
            @Override
            public Duration every() {
                return always.every();
            }

            @Override
            public List<Wish> wishes(
                    ExecutionGraph image, Map<Integer, Integer> present, Duration elapsed) {
                return FIRST.get() == null ? List.of() : always.wishes(image, present, elapsed);
            }
        };
    }

    /** A single subtask would wait until the test times out. */
    private static MapCode waitingForAnother() {
        boolean[] met = new boolean[1];
        return (in, out) -> {
            if (!met[0]) {
                met[0] = true;
                LATE_ONE_RUNS.countDown();
                assertThat(LATE_ONE_RUNS.await(60, TimeUnit.SECONDS)).isTrue();
            }
            out.emit(in);
        };
    }

    /** Works slowly in the first thread that runs it, and fails in every other one. */
    private static MapCode failingInOthers() {
        return (in, out) -> {
            Thread me = Thread.currentThread();
            if (!FIRST.compareAndSet(null, me) && !me.equals(FIRST.get())) {
                throw new IllegalStateException("not me");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
            out.emit(in);
        };
    }

    @Test
    void aThrowingPolicyFailsTheJobAfterItsSubtasksHaveEnded() {
        TestGraph graph = new TestGraph("ill advised");
        List<Rows.Row> rows = Rows.random(20_000, 500, Rows.SEED);
        JobVertex one = one(graph, graph.read(rows, 1), slow(1));
        Collected collected = graph.collect(one);
        Scaling throwing =
                (image, present, elapsed) -> {
                    throw new IllegalStateException("nobody knows");
                };
        assertThatThrownBy(
                        () -> new Engine(options().withScaling(() -> throwing)).run(graph.graph()))
                .hasMessageContaining("nobody knows");
        assertThat(collected.aborted).isTrue();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("ill advised task"));
    }

    @Test
    void aCancelledJobEndsAddedSubtasks() {
        TestGraph graph = new TestGraph("cancelled late");
        List<Rows.Row> rows = Rows.random(200_000, 500, Rows.SEED);
        JobVertex one = one(graph, graph.read(rows, 1), slow(1));
        graph.collect(one);
        JobMaster job =
                new Engine(options().withScaling(() -> always(one.id(), 8))).start(graph.graph());
        while (job.image().scalings().isEmpty() && !job.hasEnded()) {
            Thread.onSpinWait();
        }
        job.cancel();
        assertThatThrownBy(job::await).hasMessageContaining("cancelled");
        assertThat(job.abandoned()).isEmpty();
        assertThat(job.image().subtasks().values()).allMatch(each -> each.state().hasEnded());
    }

    @Test
    void tasksThatDependOnTheirParallelismAreNotScaled() {
        TestGraph graph = new TestGraph("counted");
        JobVertex read = graph.read(List.of(), 1);
        JobVertex first =
                graph.add(
                        "first",
                        new Operation.Relay(),
                        1,
                        List.of(TestGraph.In.of(read, new Shipping.Rebalance())),
                        new Step.First("first", 3));
        JobVertex merged =
                graph.add(
                        "merged",
                        new Operation.Relay(),
                        1,
                        List.of(
                                new TestGraph.In(
                                        first,
                                        new Shipping.Rebalance(),
                                        new InputOrder.Merged(Key.of(0)))));
        JobVertex before = one(graph, merged, slow(1));
        JobVertex behind =
                graph.add(
                        "behind",
                        new Operation.Relay(),
                        2,
                        List.of(
                                new TestGraph.In(
                                        before,
                                        new Shipping.HashPartition(Key.of(0)),
                                        new InputOrder.Sorted(Key.of(0)))));
        graph.collect(behind);
        // Sources and merged inputs are shared dynamically.
        assertThat(Scalability.of(graph.graph())).containsExactlyInAnyOrder(read.id(), before.id());
    }
}
