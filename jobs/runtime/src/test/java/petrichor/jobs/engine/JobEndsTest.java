package petrichor.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.Rows.Row;
import petrichor.jobs.engine.TestGraph.In;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.RangeBounds;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Side;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.JoinCode;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;

/** How jobs end: early, by failure, by cancellation; and that nothing is left behind. */
@Timeout(60)
class JobEndsTest {
    private static final Key KEY = Key.of(0);
    private static final long LITTLE = 1 << 20;

    /** Static: user code is copied for each subtask. */
    private static final CountDownLatch RUNNING = new CountDownLatch(1);

    private static final CountDownLatch WAITING = new CountDownLatch(1);
    private static final CountDownLatch LOOP = new CountDownLatch(1);
    private static final AtomicBoolean LOOPING = new AtomicBoolean(true);

    @TempDir Path folder;

    @AfterEach
    void nothingIsLeft() throws IOException {
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(t -> t.getName().startsWith("tested"));
        assertThat(folder).isEmptyDirectory();
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            assertThat(open.map(JobEndsTest::target)).noneMatch(f -> f.contains("petrichor-spill"));
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private JobMaster start(TestGraph graph, long memory) {
        return new Engine(new EngineOptions(memory, folder, Long.MAX_VALUE)).start(graph.graph());
    }

    @Test
    void enoughTravelsUpstream() {
        List<Row> rows = Rows.random(400_000, 100, Rows.SEED);
        TestGraph graph = new TestGraph("tested first");
        JobVertex relay =
                graph.add(
                        "relay",
                        new Operation.Relay(),
                        1,
                        List.of(In.of(graph.read(rows, 1), new Shipping.Rebalance())));
        JobVertex first =
                graph.add(
                        "first",
                        new Operation.Relay(),
                        1,
                        List.of(In.of(relay, new Shipping.HashPartition(KEY))),
                        new Step.First("first", 10));
        Collected collected = graph.collect(first);
        JobResult result = start(graph, LITTLE).await();
        assertThat(collected.rows()).isEqualTo(rows.subList(0, 10));
        long read = result.tasks().getOrDefault("read 0", List.of()).getFirst().recordsOut();
        assertThat(read).isLessThan(200_000);
    }

    @Test
    void twoPathsFromOneTaskToAnotherDoNotBlockEachOther() {
        List<Row> rows = Rows.random(60_000, 60_000, Rows.SEED);
        RecordType key = RecordType.of(Field.int64("key"));
        JoinCode keys = (left, right, out) -> out.record().copy(0, left, 0).emit();
        for (InputOrder order : List.of(InputOrder.asTheyCome(), new InputOrder.Sorted(KEY))) {
            TestGraph graph = new TestGraph("tested diamond");
            JobVertex read = graph.read(rows, 1);
            Operation join =
                    order instanceof InputOrder.Sorted
                            ? new Operation.MergeJoin(KEY, KEY, keys, key)
                            : new Operation.HashJoin(KEY, KEY, Side.SECOND, keys, key);
            JobVertex joined =
                    graph.add(
                            "join",
                            join,
                            2,
                            List.of(
                                    new In(read, new Shipping.HashPartition(KEY), order),
                                    new In(read, new Shipping.HashPartition(KEY), order)));
            Collected collected = graph.collect(joined);
            start(graph, LITTLE).await();
            assertThat(collected.records()).hasSizeGreaterThan(60_000);
        }
    }

    @Test
    void aRangePartitionAfterAnotherTaskKeepsAllRecords() {
        List<Row> rows = Rows.random(150_000, 100_000, Rows.SEED);
        TestGraph graph = new TestGraph("tested ranges");
        JobVertex relay =
                graph.add(
                        "relay",
                        new Operation.Relay(),
                        2,
                        List.of(In.of(graph.read(rows, 2), new Shipping.Rebalance())));
        Key all = Key.of(0, 1, 2);
        JobVertex sorted =
                graph.add(
                        "sort",
                        new Operation.Relay(),
                        2,
                        List.of(
                                new In(
                                        relay,
                                        new Shipping.RangePartition(all, RangeBounds.sampled()),
                                        new InputOrder.Sorted(all))));
        JobVertex merged =
                graph.add(
                        "merge",
                        new Operation.Relay(),
                        1,
                        List.of(
                                new In(
                                        sorted,
                                        new Shipping.Rebalance(),
                                        new InputOrder.Merged(all))));
        Collected collected = graph.collect(merged);
        start(graph, LITTLE).await();
        assertThat(collected.rows()).isEqualTo(rows.stream().sorted(Rows.BY_ALL).toList());
    }

    @Test
    void aUnionAndAFileKeepAllRecords() {
        List<Row> rows = Rows.random(30_000, 100, Rows.SEED);
        TestGraph graph = new TestGraph("tested union");
        JobVertex one = graph.read(rows, 2);
        JobVertex two = graph.read(rows, 1);
        JobVertex both =
                graph.add(
                        "both",
                        new Operation.Relay(),
                        2,
                        List.of(In.of(one, new Shipping.Forward())));
        graph.union(two, both, 0, new Shipping.Rebalance());
        JobVertex behind =
                graph.add(
                        "behind a file",
                        new Operation.Relay(),
                        3,
                        List.of(In.of(both, new Shipping.HashPartition(KEY))));
        graph.inFiles(both, behind);
        Collected collected = graph.collect(behind);
        JobResult result = start(graph, LITTLE).await();
        List<Row> twice = Stream.concat(rows.stream(), rows.stream()).sorted(Rows.BY_ALL).toList();
        assertThat(collected.rows().stream().sorted(Rows.BY_ALL).toList()).isEqualTo(twice);
        assertThat(result.spilledBytes()).isPositive();
    }

    @Test
    void aTaskUnitedWithItselfEmitsEveryRecordTwice() {
        List<Row> rows = Rows.random(5_000, 100, Rows.SEED);
        TestGraph graph = new TestGraph("tested self-union");
        JobVertex read = graph.read(rows, 2);
        JobVertex both =
                graph.add(
                        "both",
                        new Operation.Relay(),
                        2,
                        List.of(In.of(read, new Shipping.HashPartition(KEY))));
        JobVertex again =
                graph.add(
                        "again",
                        new Operation.Relay(),
                        2,
                        List.of(In.of(read, new Shipping.Forward())));
        graph.union(again, both, 0, new Shipping.HashPartition(KEY));
        Collected collected = graph.collect(both);
        start(graph, LITTLE).await();
        assertThat(collected.rows().stream().sorted(Rows.BY_ALL).toList())
                .isEqualTo(
                        Stream.concat(rows.stream(), rows.stream()).sorted(Rows.BY_ALL).toList());
    }

    @Test
    void codeThatThrowsFailsTheJobWithTheTaskAndTheRecord() {
        assertFails(
                (in, out) -> {
                    if (in.int64(2) == -1) {
                        throw new IllegalStateException("no such thing");
                    }
                    out.emit(in);
                },
                "task \"read 0\" (subtask 1 of 1) failed in Part[from=2000, to=3000] at row 2345,"
                        + " in the code of \"checked\": java.lang.IllegalStateException: no such"
                        + " thing");
    }

    @Test
    void nullAndRecordsOfAWrongTypeAreRefused() {
        assertFails((in, out) -> out.emit(nothing()), "null was emitted");
        RecordType other = RecordType.of(Field.text("x"));
        assertFails(
                (in, out) -> out.emit(new petrichor.jobs.records.RecordBuilder(other).finish()),
                "a record of type (x TEXT) was emitted; the output requires");
        assertFails((in, out) -> out.record().text(0, "a").emit(), "field 0 (key) holds INT64");
        assertFails(
                (in, out) -> {
                    throw new OutOfMemoryError("pretended");
                },
                "OutOfMemoryError: pretended");
    }

    @SuppressWarnings("NullAway") // what is tested: user code need not be checked for null
    private static petrichor.jobs.records.RecordView nothing() {
        return null;
    }

    private void assertFails(MapCode code, String message) {
        List<Row> rows = new java.util.ArrayList<>(Rows.random(5000, 100, Rows.SEED));
        rows.set(2344, new Row(1L, "bad", -1));
        TestGraph graph = new TestGraph("tested failure");
        JobVertex read = graph.read(rows, 1, new Step.Map("checked", code, Rows.TYPE));
        JobVertex sort =
                graph.add(
                        "sort",
                        new Operation.Relay(),
                        2,
                        List.of(
                                new In(
                                        read,
                                        new Shipping.HashPartition(KEY),
                                        new InputOrder.Sorted(KEY))));
        Collected collected = graph.collect(sort);
        assertThatThrownBy(() -> start(graph, LITTLE).await())
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(message);
        assertThat(collected.committed).isFalse();
        assertThat(collected.aborted).isTrue();
    }

    @Test
    void everySubtaskHasItsOwnCopyOfUserCode() {
        long[] seen = new long[1];
        TestGraph graph = new TestGraph("tested copies");
        JobVertex read =
                graph.read(
                        Rows.random(20_000, 100, Rows.SEED),
                        2,
                        new Step.Map(
                                "number",
                                (in, out) -> out.record().int64(0, seen[0]++).emit(),
                                RecordType.of(Field.int64("number"))));
        Collected collected = graph.collect(read);
        start(graph, LITTLE).await();
        for (int i = 0; i < 2; i++) {
            for (int k = 0; k < collected.part(i).size(); k++) {
                assertThat(collected.part(i).get(k).int64(0)).isEqualTo(k);
            }
        }
        assertThat(seen[0]).isZero();
        Object notSerializable = new Object();
        assertFails(
                (in, out) -> out.record().text(1, "" + notSerializable).emit(), "cannot be copied");
    }

    @Test
    void aFailureInAReduceNamesItsRecord() {
        TestGraph graph = new TestGraph("tested reduce");
        JobVertex reduce =
                graph.add(
                        "reduce",
                        new Operation.SortedReduce(
                                KEY,
                                (group, out) -> {
                                    throw new ArithmeticException("odd");
                                },
                                Rows.TYPE),
                        1,
                        List.of(
                                new In(
                                        graph.read(Rows.random(100, 10, 1), 1),
                                        new Shipping.HashPartition(KEY),
                                        new InputOrder.Sorted(KEY))));
        graph.collect(reduce);
        assertThatThrownBy(() -> start(graph, LITTLE).await())
                .hasMessageContaining("task \"reduce\" (subtask 1 of 1) failed at record 1,")
                .hasMessageContaining("odd");
    }

    @Test
    void tooManySpilledBytesFailTheJob() {
        TestGraph graph = new TestGraph("tested spill");
        JobVertex sort =
                graph.add(
                        "sort",
                        new Operation.Relay(),
                        1,
                        List.of(
                                new In(
                                        graph.read(Rows.random(200_000, 1000, Rows.SEED), 1),
                                        new Shipping.Rebalance(),
                                        new InputOrder.Sorted(KEY))));
        graph.collect(sort);
        Engine engine = new Engine(new EngineOptions(LITTLE, folder, 4 << 20));
        assertThatThrownBy(() -> engine.run(graph.graph()))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                .hasMessageContaining("spill files");
    }

    @Test
    void aSpillFolderThatCannotBeWrittenFailsTheJob() {
        TestGraph graph = new TestGraph("tested folder");
        JobVertex sort =
                graph.add(
                        "sort",
                        new Operation.Relay(),
                        1,
                        List.of(
                                new In(
                                        graph.read(Rows.random(200_000, 1000, Rows.SEED), 1),
                                        new Shipping.Rebalance(),
                                        new InputOrder.Sorted(KEY))));
        graph.collect(sort);
        Engine engine =
                new Engine(new EngineOptions(LITTLE, Path.of("/proc/nothing"), Long.MAX_VALUE));
        assertThatThrownBy(() -> engine.run(graph.graph()))
                .hasMessageContaining("cannot open a spill file in /proc/nothing");
    }

    @Test
    void codeThatWaitsForeverIsInterruptedWhenTheJobIsCancelled() throws InterruptedException {
        TestGraph graph = new TestGraph("tested wait");
        graph.collect(
                graph.read(
                        Rows.random(10, 10, 1),
                        1,
                        new Step.Map(
                                "waits",
                                (in, out) -> {
                                    WAITING.countDown();
                                    new CountDownLatch(1).await();
                                },
                                Rows.TYPE)));
        JobMaster job = start(graph, LITTLE);
        assertThat(WAITING.await(30, TimeUnit.SECONDS)).isTrue();
        job.cancel();
        assertThatThrownBy(job::await).hasMessageContaining("was cancelled");
        assertThat(job.abandoned()).isEmpty();
    }

    @Test
    @Tag("slow")
    void loopingCodeIsAbandonedAndNamed() throws InterruptedException {
        TestGraph graph = new TestGraph("looping");
        graph.collect(
                graph.read(
                        Rows.random(10, 10, 1),
                        1,
                        new Step.Map(
                                "loops",
                                (in, out) -> {
                                    LOOP.countDown();
                                    while (LOOPING.get()) {
                                        Thread.onSpinWait();
                                    }
                                },
                                Rows.TYPE)));
        JobMaster job = start(graph, LITTLE);
        assertThat(LOOP.await(30, TimeUnit.SECONDS)).isTrue();
        job.cancel();
        assertThatThrownBy(job::await).hasMessageContaining("was cancelled");
        LOOPING.set(false);
        assertThat(String.join(" ", job.abandoned())).contains("read 0");
    }

    @Test
    void aCancelledJobEndsEarly() throws InterruptedException {
        TestGraph graph = new TestGraph("tested cancel");
        List<Row> rows = Rows.random(50_000, 50_000, Rows.SEED);
        JobVertex slow =
                graph.read(
                        rows,
                        2,
                        new Step.Map(
                                "endless",
                                (in, out) -> {
                                    RUNNING.countDown();
                                    for (int i = 0; i < 1000; i++) {
                                        out.emit(in);
                                    }
                                },
                                Rows.TYPE));
        JobVertex sort =
                graph.add(
                        "sort",
                        new Operation.Relay(),
                        2,
                        List.of(
                                new In(
                                        slow,
                                        new Shipping.HashPartition(KEY),
                                        new InputOrder.Sorted(KEY))));
        Collected collected = graph.collect(sort);
        JobMaster job = start(graph, LITTLE);
        assertThat(RUNNING.await(30, TimeUnit.SECONDS)).isTrue();
        job.cancel();
        assertThatThrownBy(job::await)
                .hasMessage("the job \"tested cancel\" was cancelled")
                .isInstanceOf(PetrichorException.class);
        assertThat(job.hasEnded()).isTrue();
        assertThat(collected.aborted).isTrue();
    }
}
