package petrichor.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.jobgraph.ChannelMetrics;
import petrichor.jobs.jobgraph.ExecutionVertex;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.records.MapCode;

/** Metrics of subtasks and channels while a job runs. */
@Timeout(60)
final class ProfileTest {
    private static final int RECORDS = 100_000;

    /** Static, since user code is copied to its subtasks with all that it references. */
    private static final CountDownLatch OPEN = new CountDownLatch(1);

    @TempDir Path folder;

    private EngineOptions options() {
        return EngineOptions.ofThisProcess().withMemoryBytes(1 << 20).withSpillFolder(folder);
    }

    /** Waits for two milliseconds every hundred records: far longer than sending them takes. */
    private static MapCode slow() {
        long[] seen = new long[1];
        return (in, out) -> {
            if (++seen[0] % 100 == 0) {
                LockSupport.parkNanos(2_000_000);
            }
            out.emit(in);
        };
    }

    private JobMaster run(EngineOptions options, boolean slowReceiver) {
        TestGraph graph = new TestGraph("profiled");
        JobVertex read = graph.read(Rows.random(RECORDS, 100, Rows.SEED), 1);
        Step[] steps =
                slowReceiver
                        ? new Step[] {new Step.Map("slow", slow(), read.outputType())}
                        : new Step[0];
        JobVertex behind =
                graph.add(
                        "behind",
                        new Operation.Relay(),
                        2,
                        List.of(TestGraph.In.of(read, new Shipping.Rebalance())),
                        steps);
        graph.collect(behind);
        JobMaster job = new Engine(options).start(graph.graph());
        job.await();
        return job;
    }

    @Test
    void aChannelBeforeASlowTaskIsFullMostOfTheTime() {
        JobMaster job = run(options(), true);
        SubtaskMetrics reader = job.image().subtask(new SubtaskId(0, 0)).metrics();
        assertThat(reader.channels())
                .extracting(ChannelMetrics::to)
                .containsExactly(new SubtaskId(1, 0), new SubtaskId(1, 1));
        // The sender waits for one of the two at a time.
        double together = reader.channels().stream().mapToDouble(ChannelMetrics::saturation).sum();
        assertThat(together).isGreaterThan(0.3).isLessThanOrEqualTo(2);
        assertThat(reader.channels().stream().mapToLong(ChannelMetrics::bytes).sum())
                .isEqualTo(reader.bytesOut());
        assertThat(reader.channels().stream().mapToLong(ChannelMetrics::waitedNanos).sum())
                .isEqualTo(reader.waitedForRoomNanos());
    }

    @Test
    @SuppressWarnings("BusyWait") // until another subtask has measured
    void aCurrentWaitCounts() throws InterruptedException {
        TestGraph graph = new TestGraph("starving");
        JobVertex read = graph.read(Rows.random(10, 100, Rows.SEED), 1);
        JobVertex gate =
                graph.add(
                        "gate",
                        new Operation.Relay(),
                        1,
                        List.of(TestGraph.In.of(read, new Shipping.Rebalance())),
                        new Step.Map(
                                "gate",
                                (in, out) -> {
                                    OPEN.await();
                                    out.emit(in);
                                },
                                read.outputType()));
        JobVertex behind =
                graph.add(
                        "behind",
                        new Operation.Relay(),
                        1,
                        List.of(TestGraph.In.of(gate, new Shipping.Rebalance())));
        graph.collect(behind);
        JobMaster job = new Engine(options()).start(graph.graph());
        try {
            // It gets nothing before the gate opens; the test's time limit is the bound.
            while (waited(job, behind) < Duration.ofMillis(300).toNanos()
                    || waited(job, gate) >= waited(job, behind)) {
                Thread.sleep(10);
            }
        } finally {
            OPEN.countDown();
        }
        job.await();
        SubtaskMetrics metrics = job.image().subtask(new SubtaskId(behind.id(), 0)).metrics();
        assertThat(metrics.waitedForInputNanos()).isLessThanOrEqualTo(metrics.elapsedNanos());
        assertThat(metrics.cpuNanos()).isPositive().isLessThan(metrics.elapsedNanos());
    }

    private static long waited(JobMaster job, JobVertex task) {
        return job.image().subtask(new SubtaskId(task.id(), 0)).metrics().waitedForInputNanos();
    }

    @Test
    void nothingIsMeasuredWithoutProfiling() {
        JobMaster job = run(options().withoutProfile(), false);
        assertThat(job.image().subtasks().values())
                .extracting(ExecutionVertex::metrics)
                .containsOnly(SubtaskMetrics.NONE);
    }

    @Test
    void figuresOfSubtasksAreAddedUpPerReceiver() {
        SubtaskId first = new SubtaskId(1, 0);
        SubtaskId second = new SubtaskId(1, 1);
        SubtaskMetrics one = with(new ChannelMetrics(first, 10, 1, 4));
        SubtaskMetrics other =
                with(new ChannelMetrics(first, 5, 2, 2), new ChannelMetrics(second, 7, 0, 9));
        assertThat(one.plus(other).channels())
                .containsExactly(
                        new ChannelMetrics(first, 15, 3, 6), new ChannelMetrics(second, 7, 0, 9));
        assertThat(new ChannelMetrics(first, 15, 3, 6).saturation()).isEqualTo(0.5);
    }

    private static SubtaskMetrics with(ChannelMetrics... channels) {
        return new SubtaskMetrics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, List.of(channels));
    }
}
