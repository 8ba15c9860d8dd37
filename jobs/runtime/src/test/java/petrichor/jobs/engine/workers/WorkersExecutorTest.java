package petrichor.jobs.engine.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.JobWatcher;
import petrichor.jobs.engine.Rows;
import petrichor.jobs.engine.StageExecutor;
import petrichor.jobs.engine.TestGraph;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;

/** Worker processes that die, or whose job fails, at moments that a random kill seldom hits. */
@Timeout(180)
final class WorkersExecutorTest {
    private static final Workers TWO =
            Workers.of(2, List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"))
                    .withAttemptsMax(1);

    @TempDir Path spill;

    private EngineOptions options() {
        return EngineOptions.ofThisProcess().withMemoryBytes(8 << 20).withSpillFolder(spill);
    }

    /** A worker without remaining work: its death does not count as an attempt of either stage. */
    @Test
    void workersThatDieBetweenTwoStagesAreReplacedForTheNext() {
        TestGraph test = new TestGraph("two stages");
        JobVertex read = test.read(Rows.random(3_000, 100, Rows.SEED), 2);
        JobVertex relay =
                test.add(
                        "relay",
                        new Operation.Relay(),
                        2,
                        List.of(TestGraph.In.of(read, new Shipping.Rebalance())));
        test.inFiles(read, relay);
        test.collect(relay);
        JobGraph graph = test.graph().checked();
        JobMaster.start(
                        graph,
                        options(),
                        null,
                        JobWatcher.NONE,
                        new Fusion(graph),
                        job ->
                                new KillingAfterFirst(
                                        WorkersExecutor.open(graph, options(), TWO, 1, job)))
                .await();
        assertThat(spill).isEmptyDirectory();
    }

    /**
     * Kills a worker between the first stage and the second, and waits until its death is noticed.
     */
    private record KillingAfterFirst(StageExecutor executor) implements StageExecutor {
        @Override
        public void run(int stage) throws InterruptedException {
            executor.run(stage);
            if (stage == 0) {
                ProcessHandle.of(executor.processes().get(1)).orElseThrow().destroyForcibly();
                while (!executor.processes().isEmpty()) {
                    Thread.onSpinWait();
                }
            }
        }

        @Override
        public void stop(PetrichorException reason) {
            executor.stop(reason);
        }

        @Override
        public void close(boolean succeeded) throws InterruptedException {
            executor.close(succeeded);
        }

        @Override
        public long spilledBytes() {
            return executor.spilledBytes();
        }
    }

    @Test
    void aWatcherThatFailsLeavesNoProcess() {
        TestGraph test = new TestGraph("failing");
        test.collect(
                test.read(
                        Rows.random(3_000, 100, Rows.SEED),
                        2,
                        new Step.Map(
                                "code",
                                (in, out) -> {
                                    throw new IllegalStateException("not this row");
                                },
                                Rows.TYPE)));
        JobMaster job = new WorkerEngine(options(), TWO).start(test.graph(), new FailingWatcher());
        List<ProcessHandle> processes =
                job.processes().stream().map(pid -> ProcessHandle.of(pid).orElseThrow()).toList();
        assertThat(processes).hasSize(2);
        assertThatThrownBy(job::await).hasMessageContaining("not this row");
        assertThat(processes).noneMatch(ProcessHandle::isAlive);
    }

    private static final class FailingWatcher implements JobWatcher {
        @Override
        public void began(ExecutionGraph image) {}

        @Override
        public void changed(ExecutionDelta delta) {
            if (delta instanceof ExecutionDelta.JobMoved(var to, var _) && to == JobState.FAILING) {
                throw new IllegalStateException("the watcher failed");
            }
        }
    }
}
