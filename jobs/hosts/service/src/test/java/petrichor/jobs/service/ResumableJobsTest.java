package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of jobs that stopped: for whom, how much, how long. */
final class ResumableJobsTest {
    private static final int FILE_BYTES = 100_000;

    @TempDir private Path folder;

    private ResumableJobs kept(long bytesMax, Duration timeMax) {
        return new ResumableJobs(JobSettings.in(folder).withKept(bytesMax, timeMax));
    }

    private ResumableJobs kept() {
        return kept(1 << 30, Duration.ofDays(1));
    }

    private static JobSnapshot job(String id, Submission submission) {
        return JobSnapshot.submitted(id, "a job", submission, Instant.now());
    }

    /** One that has ended a stage of two. */
    private void begin(String id) throws IOException {
        Path jar = Files.write(folder.resolve("a.jar"), new byte[FILE_BYTES]);
        kept().begin(job(id, new Submission(null, List.of())), jar);
        Files.createDirectories(kept().files(id));
        Files.writeString(kept().files(id).resolve("stages"), "graph\n1\n2\nfalse\n");
    }

    private void stop(String id, Instant when) throws IOException {
        kept().stopped(id);
        Path marker = folder.resolve("kept").resolve(id).resolve("stopped");
        Files.setLastModifiedTime(marker, FileTime.from(when));
    }

    @Test
    void keptFilesAreClaimedByOneResumeAtATime() throws IOException {
        ResumableJobs kept = kept();
        begin("1");
        assertThatThrownBy(() -> kept.claim("1", "a")).hasMessageContaining("no resumable job 1");
        kept.stopped("1");
        Path leases = Files.createDirectories(folder.resolve("leased/1"));
        assertThatThrownBy(() -> kept.claim("1", "a")).hasMessageContaining("not released");
        Files.delete(leases);
        assertThat(kept.claim("1", "a").name()).isEqualTo("a job");
        assertThatThrownBy(() -> kept.claim("1", "b"))
                .hasMessageContaining("is already being resumed by a");
        kept.release("1");
        JobSnapshot before = kept.claim("1", "b");
        kept.begin(job("2", before.submission().resuming("1")), folder.resolve("none"));
        kept.release("1");
        assertThatThrownBy(() -> kept.claim("1", "c")).hasMessageContaining("no resumable job 1");
        assertThatThrownBy(() -> kept.claim("2", "c"))
                .as("runs")
                .hasMessageContaining("no resumable job 2");
        kept.stopped("2");
        assertThat(kept.claim("2", "c").submission().resumes()).isEqualTo("1");
        assertThatThrownBy(() -> kept.claim("./2", "c")).hasMessageContaining("no resumable job");
    }

    @Test
    void theOldestGoWhenThereIsTooMuchOrTheirTimeIsOver() throws IOException {
        Instant now = Instant.now();
        for (int i = 1; i <= 3; i++) {
            begin(Integer.toString(i));
            stop(Integer.toString(i), now.minus(Duration.ofHours(10 - i)));
        }
        begin("4");
        assertThat(kept().surplus(now)).isEmpty();
        assertThat(kept(2 * FILE_BYTES, Duration.ofDays(1)).surplus(now)).containsExactly("1", "2");
        assertThat(kept(1 << 30, Duration.ofHours(8)).surplus(now)).containsExactly("1", "2");
        assertThat(kept(1, Duration.ofDays(1)).surplus(now)).containsExactly("1", "2", "3");
    }

    @Test
    void resumableJobsSurviveACrash() throws IOException {
        begin("1");
        begin("2");
        Files.createDirectories(folder.resolve("leased/2"));
        begin("3");
        Files.delete(kept().files("3").resolve("stages"));
        kept().tidy();
        assertThat(kept().all()).extracting(ResumableJob::id).containsExactly("1");
        assertThat(JobsHere.in(folder.resolve("kept")))
                .as("something of 2 may still run, and 3 had ended")
                .containsExactly("1", "2");
    }
}
