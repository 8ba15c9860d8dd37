package petrichor.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.assembly.Fusion;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Step;

/** Cancellation and failure at the moments when a job changes its state. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class JobMasterTest {
    /** Static: user code is copied for each subtask. */
    private static final CountDownLatch RUNNING = new CountDownLatch(1);

    @TempDir Path folder;

    private final CompletableFuture<JobMaster> started = new CompletableFuture<>();
    private final TestGraph test = new TestGraph("test");

    @Test
    void aJobCancelledAfterItsLastStageCommitsNothing() {
        Collected sink = test.collect(test.read(Rows.random(100, 100, Rows.SEED), 2));
        JobMaster job = start(() -> started.join().cancel());
        assertThatThrownBy(job::await).hasMessageContaining("was cancelled");
        assertThat(sink.committed).isFalse();
        assertThat(sink.aborted).isTrue();
    }

    @Test
    void aJobCannotBeCancelledDuringItsCommit() {
        Collected sink = test.collect(test.read(Rows.random(100, 100, Rows.SEED), 2));
        List<JobState> states = new CopyOnWriteArrayList<>();
        sink.atCommit(
                () -> {
                    started.join().cancel();
                    states.add(started.join().image().state());
                });
        start(() -> {}).await();
        assertThat(states).containsExactly(JobState.RUNNING);
        assertThat(sink.committed).isTrue();
    }

    @Test
    void aWatcherThatFailsDoesNotKeepACancelledJobRunning() throws InterruptedException {
        JobVertex endless =
                test.read(
                        Rows.random(1_000, 100, Rows.SEED),
                        2,
                        new Step.Map(
                                "endless",
                                (in, out) -> {
                                    RUNNING.countDown();
                                    new CountDownLatch(1).await();
                                },
                                Rows.TYPE));
        Collected sink = test.collect(endless);
        JobMaster job =
                new Engine(options())
                        .start(
                                test.graph(),
                                new JobWatcher() {
                                    @Override
                                    public void began(ExecutionGraph image) {}

                                    @Override
                                    public void changed(ExecutionDelta delta) {
                                        if (delta instanceof ExecutionDelta.JobMoved(var to, var _)
                                                && to == JobState.CANCELING) {
                                            throw new IllegalStateException("the watcher failed");
                                        }
                                    }
                                });
        assertThat(RUNNING.await(60, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(job::cancel).hasMessageContaining("the watcher failed");
        assertThatThrownBy(job::await).hasMessageContaining("was cancelled");
        assertThat(sink.aborted).isTrue();
    }

    private EngineOptions options() {
        return EngineOptions.ofThisProcess().withMemoryBytes(1 << 20).withSpillFolder(folder);
    }

    private JobMaster start(Runnable afterStages) {
        JobGraph graph = test.graph().checked();
        JobMaster job =
                JobMaster.start(
                        graph,
                        options(),
                        null,
                        JobWatcher.NONE,
                        new Fusion(graph),
                        lifecycle ->
                                new Observed(
                                        new ThreadExecutor(
                                                graph, options(), lifecycle, null, Set.of()),
                                        afterStages));
        started.complete(job);
        return job;
    }

    /** An executor that runs something between the last stage and the commit. */
    private record Observed(StageExecutor executor, Runnable afterStages) implements StageExecutor {
        @Override
        public void run(int stage) throws InterruptedException {
            executor.run(stage);
        }

        @Override
        public void stop(PetrichorException reason) {
            executor.stop(reason);
        }

        @Override
        public void close(boolean succeeded) throws InterruptedException {
            if (succeeded) {
                afterStages.run();
            }
            executor.close(succeeded);
        }

        @Override
        public long spilledBytes() {
            return executor.spilledBytes();
        }
    }
}
