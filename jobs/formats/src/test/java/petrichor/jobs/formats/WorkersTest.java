package petrichor.jobs.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.engine.workers.WorkerEngine;
import petrichor.jobs.jobgraph.Annotations;
import petrichor.jobs.jobgraph.ChannelType;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskInput;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;

/** Jobs in several processes: the results, and cleanup after a death. */
@Timeout(300)
class WorkersTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final Key KEY = Key.of(0);
    private static final RecordType LINE = RecordType.of(Field.text("line"));

    @TempDir Path folder;

    @TempDir Path spill;

    private WorkerEngine engine;

    @BeforeEach
    void engine() {
        engine =
                new WorkerEngine(
                        EngineOptions.ofThisProcess()
                                .withMemoryBytes(8 << 20)
                                .withSpillFolder(spill),
                        2,
                        List.of("-Xmx200m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(spill).isEmptyDirectory();
        try (var files = Files.list(folder)) {
            assertThat(files.map(f -> f.getFileName().toString()))
                    .noneMatch(f -> f.startsWith("."));
        }
    }

    private List<String> lines(int count) throws IOException {
        Random random = new Random(SEED);
        List<String> lines =
                random.ints(count, 0, count / 2)
                        .mapToObj(i -> i + " " + "z".repeat(i % 90))
                        .toList();
        Files.write(folder.resolve("in"), lines);
        return lines;
    }

    @Test
    void aSortIsTheSameInSeveralProcesses() throws IOException {
        List<String> lines = lines(200_000);
        engine.run(sort(new Shipping.RangePartition(KEY, RangeBounds.sampled()), identity()));
        assertThat(Files.readAllLines(folder.resolve("out")))
                .as("seed " + SEED)
                .isEqualTo(lines.stream().sorted().toList());
    }

    @Test
    void figuresAreTheSameWhenARecordGoesThroughAFile() throws IOException {
        List<String> lines = lines(50_000);
        Aggregation count = Aggregation.by(List.of(0), Aggregate.count());
        JobVertex read = read(identity());
        JobVertex counted =
                new JobVertex(
                        2,
                        "count",
                        new Operation.HashAggregate(count, Aggregation.Step.WHOLE, LINE),
                        List.of(TaskInput.of(LINE)),
                        List.of(),
                        count.resultType(LINE),
                        Annotations.parallel(3));
        JobVertex write =
                new JobVertex(
                        3,
                        "write",
                        new Operation.Write(
                                new CsvSink(
                                        Target.folder(folder.resolve("out").toString()),
                                        new CsvSource.Dialect('\t', false))),
                        List.of(TaskInput.of(count.resultType(LINE))),
                        List.of(),
                        null,
                        Annotations.parallel(3));
        engine.run(
                new JobGraph(
                        "count",
                        List.of(read, counted, write),
                        List.of(
                                new JobEdge(
                                        1, 2, 0, new Shipping.HashPartition(KEY), ChannelType.FILE),
                                new JobEdge(
                                        2, 3, 0, new Shipping.Forward(), ChannelType.IN_MEMORY))));
        TreeMap<String, Long> expected = new TreeMap<>();
        lines.forEach(line -> expected.merge(line, 1L, Long::sum));
        assertThat(
                        Reading.shown(new TextSource(folder.resolve("out").toString()), 1).stream()
                                .sorted())
                .isEqualTo(
                        expected.entrySet().stream()
                                .map(e -> "(" + e.getKey() + "\t" + e.getValue() + ")")
                                .sorted()
                                .toList());
    }

    @Test
    void aWorkerThatIsKilledTooOftenFailsTheJobAndTheOtherEnds() throws IOException {
        lines(200_000);
        JobMaster run =
                engine.withAttemptsMax(1).start(sort(new Shipping.HashPartition(KEY), slow()));
        List<ProcessHandle> processes =
                run.processes().stream().map(p -> ProcessHandle.of(p).orElseThrow()).toList();
        processes.get(1).destroyForcibly();
        assertThatThrownBy(run::await)
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("worker 2 (process " + processes.get(1).pid() + ") died")
                .hasMessageContaining("it was killed")
                .hasMessageContaining("in stage 1 of 1")
                .hasMessageContaining("attempted once");
        assertThat(processes).noneMatch(ProcessHandle::isAlive);
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Test
    void aStageWhoseWorkerDiesRestartsFromTheFilesOfThePreviousOne() throws IOException {
        List<String> lines = lines(50_000);
        SubtaskId victim = new SubtaskId(2, 1);
        List<ExecutionDelta> restarts = new CopyOnWriteArrayList<>();
        CompletableFuture<JobMaster> started = new CompletableFuture<>();
        AtomicBoolean killed = new AtomicBoolean();
        JobWatcher watcher =
                new JobWatcher() {
                    @Override
                    public void began(ExecutionGraph image) {}

                    @Override
                    public void changed(ExecutionDelta delta) {
                        switch (delta) {
                            case ExecutionDelta.StageRestarted again -> restarts.add(again);
                            case ExecutionDelta.SubtaskMoved(var id, var to, var _)
                                    when id.equals(victim)
                                            && to == TaskState.RUNNING
                                            && killed.compareAndSet(false, true) ->
                                    ProcessHandle.of(started.join().processes().get(1))
                                            .orElseThrow()
                                            .destroyForcibly();
                            case ExecutionDelta _ -> {}
                        }
                    }
                };
        JobGraph graph =
                sort(
                        new Shipping.RangePartition(KEY, RangeBounds.sampled()),
                        identity(),
                        ChannelType.FILE);
        JobMaster run = engine.start(graph, watcher);
        started.complete(run);
        run.await();
        assertThat(Files.readAllLines(folder.resolve("out")))
                .as("seed " + SEED)
                .isEqualTo(lines.stream().sorted().toList());
        assertThat(restarts)
                .singleElement()
                .isInstanceOfSatisfying(
                        ExecutionDelta.StageRestarted.class,
                        again -> {
                            assertThat(again.stage()).isOne();
                            assertThat(again.why()).contains("died while the job ran");
                        });
        assertThat(run.image().subtask(new SubtaskId(1, 0)).attempt()).isEqualTo(1);
        assertThat(run.image().subtask(victim).attempt()).isEqualTo(2);
        assertThat(run.image().subtask(victim).failure()).contains("worker 2", "\"sort\"");
        SubtaskMetrics sender = run.image().subtask(new SubtaskId(1, 0)).metrics();
        assertThat(sender.level()).isNotNull();
        assertThat(sender.channelBytes()).isGreaterThanOrEqualTo(sender.bytesOut());
        assertThat(sender.wireBytes()).isPositive();
    }

    @Test
    void codeThatExitsOrFailsEndsOnlyItsJob() throws IOException {
        lines(10_000);
        Shipping hash = new Shipping.HashPartition(KEY);
        assertThatThrownBy(() -> engine.run(sort(hash, (in, out) -> Runtime.getRuntime().halt(3))))
                .hasMessageContaining("died while the job ran");
        assertThatThrownBy(
                        () ->
                                engine.run(
                                        sort(
                                                hash,
                                                (in, out) -> {
                                                    throw new IllegalStateException("not this one");
                                                })))
                .hasMessageContaining("not this one")
                .hasMessageContaining("task \"read\" (subtask");
        JobMaster run = engine.start(sort(hash, slow()));
        run.cancel();
        assertThatThrownBy(run::await).hasMessageContaining("was cancelled");
    }

    private static MapCode identity() {
        return (in, out) -> out.emit(in);
    }

    private static MapCode slow() {
        return (in, out) -> {
            Thread.sleep(1);
            out.emit(in);
        };
    }

    private JobVertex read(MapCode code) {
        return new JobVertex(
                1,
                "read",
                new Operation.Read(new TextSource(folder.resolve("in").toString())),
                List.of(),
                List.of(new Step.Map("code", code, LINE)),
                LINE,
                Annotations.parallel(2));
    }

    private JobGraph sort(Shipping shipping, MapCode code) {
        return sort(shipping, code, ChannelType.NETWORK);
    }

    private JobGraph sort(Shipping shipping, MapCode code, ChannelType channel) {
        JobVertex sort =
                new JobVertex(
                        2,
                        "sort",
                        new Operation.Relay(),
                        List.of(new TaskInput(LINE, new InputOrder.Sorted(KEY))),
                        List.of(),
                        LINE,
                        Annotations.parallel(3));
        JobVertex write =
                new JobVertex(
                        3,
                        "write",
                        new Operation.Write(
                                new TextSink(Target.file(folder.resolve("out").toString()))),
                        List.of(TaskInput.of(LINE)),
                        List.of(),
                        null,
                        Annotations.parallel(3));
        return new JobGraph(
                "sort",
                List.of(read(code), sort, write),
                List.of(
                        new JobEdge(1, 2, 0, shipping, channel),
                        new JobEdge(2, 3, 0, new Shipping.Forward(), ChannelType.IN_MEMORY)));
    }
}
