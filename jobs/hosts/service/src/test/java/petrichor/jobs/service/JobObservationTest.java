package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskState;

/** From the events of a job to what metrics count. */
final class JobObservationTest {
    private final List<String> seen = new ArrayList<>();
    private final JobObservation observation =
            new JobObservation(
                    new JobObserver() {
                        @Override
                        public void started(Duration queued) {
                            seen.add("started after " + queued.toSeconds() + " s");
                        }

                        @Override
                        public void ended(JobState outcome) {
                            seen.add("ended " + outcome);
                        }

                        @Override
                        public void processed(long records, long bytes) {
                            seen.add("processed " + records + " " + bytes);
                        }

                        @Override
                        public void stageEnded(Duration took) {
                            seen.add("stage ended");
                        }

                        @Override
                        public void stageRepeated() {
                            seen.add("stage repeated");
                        }
                    });

    private JobSnapshot snapshot =
            JobSnapshot.submitted("1", "words", new Submission("W", List.of()), Instant.EPOCH);

    private void happens(Progress.Event event) {
        JobSnapshot before = snapshot;
        snapshot = before.apply(event, Instant.EPOCH.plusSeconds(3));
        observation.saw(before, event, snapshot);
    }

    private void subtask(int vertex, int subtask, TaskState to) {
        happens(EventMessages.subtaskMoved(new SubtaskId(vertex, subtask), to, null));
    }

    private void measured(long records, long bytes) {
        TreeMap<SubtaskId, SubtaskMetrics> metrics = new TreeMap<>();
        metrics.put(
                new SubtaskId(0, 1),
                new SubtaskMetrics(0, 0, records, bytes, 0, 0, 0, 0, 0, 0, null, List.of()));
        happens(EventMessages.measured(metrics));
    }

    @Test
    void jobIsObservedFromTheQueueToItsEnd() {
        happens(EventMessages.moved(JobState.RUNNING));
        Progress.Task task =
                Progress.Task.newBuilder()
                        .setName("read")
                        .setOperation("Read")
                        .setParallelism(2)
                        .setSignature("s")
                        .build();
        happens(EventMessages.began(0, 0, 1, List.of(task)));
        subtask(0, 0, TaskState.RUNNING);
        subtask(0, 1, TaskState.RUNNING);
        measured(10, 100);
        measured(25, 250);
        happens(EventMessages.restarted(0, "a worker was lost"));
        // The new attempt begins at zero; what was processed stays counted.
        measured(5, 50);
        subtask(0, 0, TaskState.FINISHED);
        assertThat(seen).doesNotContain("stage ended");
        subtask(0, 1, TaskState.FINISHED);
        happens(
                EventMessages.ended(
                        EventMessages.end(
                                JobState.FAILED, ErrorCode.INTERNAL, "why", Duration.ZERO)));
        assertThat(seen)
                .containsExactly(
                        "started after 3 s",
                        "processed 10 100",
                        "processed 15 150",
                        "stage repeated",
                        "processed 0 0",
                        "stage ended",
                        "ended FAILED");
    }
}
