package petrichor.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.JobGraph;

/** Which jobs can be resumed. */
final class ResumePointTest {
    @TempDir Path folder;

    private static JobGraph reading(int parallelism) {
        TestGraph graph = new TestGraph("stopped");
        graph.collect(graph.read(List.of(), parallelism));
        return graph.graph();
    }

    @Test
    void aJobStoppedBetweenStagesIsResumedIfItIsUnchanged() {
        ResumePoint point = ResumePoint.in(folder.resolve("job"));
        point.reached(reading(1), 0);
        assertThatCode(() -> point.check(reading(1))).doesNotThrowAnyException();
        assertThatThrownBy(() -> point.check(reading(2)))
                .hasMessageContaining("has changed since it stopped");
    }

    @Test
    void aJobKilledDuringItsCommitIsNotResumed() {
        ResumePoint point = ResumePoint.in(folder.resolve("job"));
        point.showing(reading(1));
        assertThatThrownBy(() -> point.check(reading(1)))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                .hasMessageContaining("was killed while it published its results")
                .hasMessageContaining("run it again");
        point.remove();
        assertThat(point.isThere()).isFalse();
    }
}
