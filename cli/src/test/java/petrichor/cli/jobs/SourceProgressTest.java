package petrichor.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SourceProgressTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void shareAndRemainingTimeFollowFromBytes() {
        SourceProgress progress = new SourceProgress();
        assertThat(progress.of(0, 1_000, 5 * SECOND)).isEqualTo("  0 % read");
        assertThat(progress.of(100, 1_000, 6 * SECOND)).isEqualTo("  10 % read");
        assertThat(progress.of(250, 1_000, 15 * SECOND)).isEqualTo("  25 % read, 30 s left");
        assertThat(progress.of(500, 1_000, 165 * SECOND)).isEqualTo("  50 % read, 2 min 40 s left");
        assertThat(progress.of(500, 1_000_000, 165 * SECOND)).endsWith("88 h 50 min left");
        assertThat(progress.of(1_000, 1_000, 200 * SECOND)).isEqualTo("  100 % read");
    }

    @Test
    void progressRestartsWithEachRound() {
        SourceProgress progress = new SourceProgress();
        assertThat(progress.of(900, 1_000, 0)).isEqualTo("  90 % read");
        assertThat(progress.of(100, 1_000, 50 * SECOND)).isEqualTo("  10 % read");
        assertThat(progress.of(200, 1_000, 60 * SECOND)).isEqualTo("  20 % read, 1 min 20 s left");
    }

    @Test
    void jobsWithoutSourcesHaveNoProgress() {
        assertThat(new SourceProgress().of(List.of(), 0)).isEmpty();
    }
}
