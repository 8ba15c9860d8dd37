package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.jobgraph.JobState;

/** Jobs that had not ended when their service was killed. */
final class LostJobsTest {
    @TempDir private Path folder;

    private void left(String id, boolean runs) throws Exception {
        JobSnapshot snapshot =
                JobSnapshot.submitted(id, "words", new Submission("W", List.of()), Instant.EPOCH);
        Path own = Files.createDirectories(folder.resolve("running").resolve(id));
        JobNote.write(
                own,
                runs
                        ? snapshot.apply(EventMessages.moved(JobState.RUNNING), Instant.EPOCH)
                        : snapshot);
    }

    @Test
    void theyStandInTheHistoryOfTheNextService() throws Exception {
        left("1-waits", false);
        left("2-runs", true);
        try (JobService service = JobService.open(JobSettings.in(folder))) {
            assertThat(service.history().jobs())
                    .extracting(JobRecord::id, JobRecord::state, JobRecord::failure)
                    .containsExactlyInAnyOrder(
                            org.assertj.core.api.Assertions.tuple(
                                    "1-waits",
                                    JobState.FAILED,
                                    "the server was killed while the job was queued"),
                            org.assertj.core.api.Assertions.tuple(
                                    "2-runs",
                                    JobState.FAILED,
                                    "the server was killed while it was running"));
        }
        assertThat(folder.resolve("running")).isEmptyDirectory();
        try (JobService again = JobService.open(JobSettings.in(folder))) {
            assertThat(again.history().jobs()).hasSize(2);
        }
    }
}
