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
import petrichor.jobs.jobgraph.SubtaskFigures;
import petrichor.jobs.jobgraph.SubtaskId;
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

    private JobSnapshot image =
            JobSnapshot.submitted("1", "words", new Submission("W", List.of()), Instant.EPOCH);

    private void happens(JobEvent event) {
        JobSnapshot before = image;
        image = before.apply(event, Instant.EPOCH.plusSeconds(3));
        observation.saw(before, event, image);
    }

    private void subtask(int vertex, int subtask, TaskState to) {
        happens(new JobEvent.SubtaskMoved(new SubtaskId(vertex, subtask), to, null));
    }

    private void measured(long records, long bytes) {
        TreeMap<SubtaskId, SubtaskFigures> figures = new TreeMap<>();
        figures.put(
                new SubtaskId(0, 1),
                new SubtaskFigures(0, 0, records, bytes, 0, 0, 0, 0, 0, 0, null, List.of()));
        happens(new JobEvent.Measured(figures));
    }

    @Test
    void jobIsObservedFromTheQueueToItsEnd() {
        happens(new JobEvent.Moved(JobState.RUNNING));
        JobEvent.Task task =
                new JobEvent.Task(0, "read", "Read", 0, 2, "s", List.of(), List.of(), false, -1);
        happens(new JobEvent.Began(0, 0, 1, List.of(task)));
        subtask(0, 0, TaskState.RUNNING);
        subtask(0, 1, TaskState.RUNNING);
        measured(10, 100);
        measured(25, 250);
        happens(new JobEvent.Restarted(0, "a worker was lost"));
        // The new attempt begins at zero; what was processed stays counted.
        measured(5, 50);
        subtask(0, 0, TaskState.FINISHED);
        assertThat(seen).doesNotContain("stage ended");
        subtask(0, 1, TaskState.FINISHED);
        happens(new JobEvent.Ended(JobState.FAILED, ErrorCode.INTERNAL, "why", Duration.ZERO, 0));
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
