package petrichor.jobs.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.jobs.jobgraph.ChannelMetrics;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;

final class JobProfileTest {
    private static TaskProfile task(int id, String name, List<Integer> inputs, SubtaskMetrics of) {
        return new TaskProfile(
                id, name, 0, inputs.isEmpty(), true, inputs, List.of(name), List.of(of));
    }

    private static SubtaskMetrics metrics(
            long in, long out, long waitedForRoom, long elapsed, ChannelMetrics... channels) {
        return new SubtaskMetrics(
                in, 0, out, 0, 0, waitedForRoom, elapsed, 0, 0, 0, null, List.of(channels));
    }

    @Test
    void aFusedTaskIsPartOfItsPredecessor() {
        ChannelMetrics full = new ChannelMetrics(new SubtaskId(2, 0), 10, 95, 100);
        JobProfile profile =
                new JobProfile(
                        List.of(
                                task(0, "read", List.of(), metrics(10, 0, 0, 100)),
                                task(1, "hand on", List.of(0), metrics(0, 10, 95, 0, full)),
                                task(2, "work", List.of(1), metrics(10, 10, 0, 100))));
        assertThat(profile.tasks())
                .extracting(TaskProfile::name)
                .containsExactly("read → hand on", "work");
        TaskProfile read = profile.task(0);
        assertThat(read.busyMean()).isEqualTo(0.05);
        assertThat(read.keys()).containsExactly("read", "hand on");
        assertThat(profile.task(2).inputs()).containsExactly(0);
        assertThat(profile.edgesFrom(read)).containsExactly(new EdgeProfile(0, 2, 0.95, 0.95));
    }

    @Test
    void anIntervalIsTheDifferenceOfSnapshots() {
        JobProfile earlier =
                new JobProfile(List.of(task(0, "read", List.of(), metrics(10, 10, 50, 100))));
        JobProfile now =
                new JobProfile(List.of(task(0, "read", List.of(), metrics(40, 40, 60, 200))));
        TaskProfile span = now.since(earlier).task(0);
        assertThat(span.recordsIn()).isEqualTo(30);
        assertThat(span.busyMean()).isEqualTo(0.9);
    }

    @Test
    void aCircleIsRefused() {
        SubtaskMetrics any = metrics(1, 1, 0, 1);
        assertThatThrownBy(
                        () ->
                                new JobProfile(
                                        List.of(
                                                task(0, "a", List.of(1), any),
                                                task(1, "b", List.of(0), any))))
                .hasMessageContaining("cycle");
    }
}
