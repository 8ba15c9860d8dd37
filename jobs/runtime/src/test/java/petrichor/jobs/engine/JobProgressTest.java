package petrichor.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.ExecutionVertex;
import petrichor.jobs.jobgraph.InputOrder;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;
import petrichor.jobs.records.Key;

/** The progress reported by a running job. */
@Timeout(60)
final class JobProgressTest {
    /** Static: user code is copied for each subtask. */
    private static final CountDownLatch SEEN = new CountDownLatch(1);

    @TempDir Path folder;

    private final Followed followed = new Followed();

    /** Applies all deltas, which verifies that each is valid. */
    private static final class Followed implements JobWatcher {
        private final List<ExecutionDelta> deltas = new ArrayList<>();
        private @Nullable ExecutionGraph image;

        @Override
        public synchronized void began(ExecutionGraph first) {
            image = first;
        }

        @Override
        public synchronized void changed(ExecutionDelta delta) {
            deltas.add(delta);
            image = image().apply(delta);
        }

        synchronized ExecutionGraph image() {
            return Objects.requireNonNull(image);
        }

        synchronized List<JobState> jobStates() {
            List<JobState> states = new ArrayList<>();
            for (ExecutionDelta delta : deltas) {
                if (delta instanceof ExecutionDelta.JobMoved(var to, var _)) {
                    states.add(to);
                }
            }
            return states;
        }

        synchronized List<TaskState> statesOf(SubtaskId id) {
            List<TaskState> states = new ArrayList<>();
            for (ExecutionDelta delta : deltas) {
                if (delta instanceof ExecutionDelta.SubtaskMoved(var moved, var to, var _)
                        && moved.equals(id)) {
                    states.add(to);
                }
            }
            return states;
        }
    }

    private JobMaster start(TestGraph graph) {
        EngineOptions options =
                EngineOptions.ofThisProcess().withMemoryBytes(1 << 20).withSpillFolder(folder);
        return new Engine(options).start(graph.graph(), followed);
    }

    @Test
    void aSucceedingJobIsReportedFromStartToEnd() {
        TestGraph graph = new TestGraph("told");
        JobVertex read = graph.read(Rows.random(10_000, 100, Rows.SEED), 2);
        JobVertex sorted =
                graph.add(
                        "sort",
                        new Operation.Relay(),
                        3,
                        List.of(
                                new TestGraph.In(
                                        read,
                                        new Shipping.HashPartition(Key.of(0)),
                                        new InputOrder.Sorted(Key.of(0)))));
        graph.collect(sorted);
        JobMaster job = start(graph);
        job.await();

        assertThat(followed.jobStates())
                .containsExactly(JobState.SCHEDULED, JobState.RUNNING, JobState.FINISHED);
        assertThat(followed.image()).isEqualTo(job.image());
        assertThat(followed.statesOf(new SubtaskId(read.id(), 1)))
                .containsExactly(
                        TaskState.SCHEDULED,
                        TaskState.READY,
                        TaskState.RUNNING,
                        TaskState.FINISHING,
                        TaskState.FINISHED);
        assertThat(followed.image().subtasks().values())
                .extracting(ExecutionVertex::state)
                .containsOnly(TaskState.FINISHED);
        assertThat(emitted(job.image(), read)).isEqualTo(10_000);
    }

    private static long emitted(ExecutionGraph image, JobVertex vertex) {
        return image.subtasks().values().stream()
                .filter(each -> each.id().vertex() == vertex.id())
                .mapToLong(each -> each.metrics().recordsOut())
                .sum();
    }

    @Test
    void aFusedTaskChangesStateWithItsChain() {
        TestGraph graph = new TestGraph("chained");
        JobVertex read = graph.read(Rows.random(100, 100, Rows.SEED), 2);
        graph.collect(read);
        start(graph).await();
        assertThat(followed.image().subtasks().values())
                .extracting(ExecutionVertex::state)
                .containsOnly(TaskState.FINISHED);
    }

    @Test
    void theFirstFailureIsTheJobs() {
        TestGraph graph = new TestGraph("failing");
        graph.collect(
                graph.read(
                        Rows.random(100, 100, Rows.SEED),
                        1,
                        new Step.Map(
                                "divides",
                                (in, out) -> {
                                    throw new ArithmeticException("by zero");
                                },
                                Rows.TYPE)));
        JobMaster job = start(graph);
        assertThatThrownBy(job::await).hasMessageContaining("by zero");
        assertThat(followed.jobStates())
                .containsExactly(
                        JobState.SCHEDULED, JobState.RUNNING, JobState.FAILING, JobState.FAILED);
        assertThat(job.image().failure()).contains("divides").contains("by zero");
        assertThat(followed.statesOf(new SubtaskId(0, 0))).endsWith(TaskState.FAILED);
    }

    @Test
    void aCancelledJobIsCancelledAndNotFailed() throws InterruptedException {
        TestGraph graph = new TestGraph("cancelled");
        graph.collect(
                graph.read(
                        Rows.random(50_000, 50_000, Rows.SEED),
                        2,
                        new Step.Map(
                                "endless",
                                (in, out) -> {
                                    SEEN.countDown();
                                    for (int i = 0; i < 10_000; i++) {
                                        out.emit(in);
                                    }
                                },
                                Rows.TYPE)));
        JobMaster job = start(graph);
        assertThat(SEEN.await(30, TimeUnit.SECONDS)).isTrue();
        job.cancel();
        assertThatThrownBy(job::await).hasMessageContaining("was cancelled");
        job.cancel();
        assertThat(followed.jobStates())
                .containsExactly(
                        JobState.SCHEDULED,
                        JobState.RUNNING,
                        JobState.CANCELING,
                        JobState.CANCELED);
        assertThat(job.image().subtasks().values()).allMatch(vertex -> vertex.state().hasEnded());
    }
}
