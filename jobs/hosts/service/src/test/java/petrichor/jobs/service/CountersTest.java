package petrichor.jobs.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;

/** What a job's code has counted, as those outside of the job see it. */
final class CountersTest {
    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

    @TempDir private Path folder;

    private static JobCounters counted(String group, String name, long count) {
        SortedMap<String, Long> names = new TreeMap<>(Map.of(name, count));
        return new JobCounters(new TreeMap<>(Map.of(group, names)));
    }

    @Test
    void snapshotAndHistoryContainTheReportedCounters() {
        JobCounters counters =
                counted("Seen", "WORDS", 3)
                        .plus(counted("Seen", "WORDS", 4))
                        .plus(counted("first letters", "a", 1));
        Progress.Event told =
                EventMessages.ended(
                        EventMessages.end(JobState.FINISHED, null, null, Duration.ZERO).toBuilder()
                                .putAllCounters(ProgressMessages.of(counters))
                                .build());
        JobSnapshot image =
                JobSnapshot.submitted("1", "words", new Submission(null, List.of()), NOW)
                        .apply(EventMessages.moved(JobState.RUNNING), NOW)
                        .apply(ProgressJson.event(ProgressJson.of(told).toString()), NOW);
        assertThat(JobSnapshot.parse(image.json(false)).counters()).isEqualTo(counters);
        assertThat(image.json(true).getAsJsonObject("counters").toString())
                .isEqualTo("{\"Seen\":{\"WORDS\":7},\"first letters\":{\"a\":1}}");

        Path file = folder.resolve("history.jsonl");
        HistoryFile.open(file, 10).add(image.record());
        assertThat(HistoryFile.open(file, 10).history().jobs())
                .singleElement()
                .satisfies(job -> assertThat(job.counters()).isEqualTo(counters));
    }
}
