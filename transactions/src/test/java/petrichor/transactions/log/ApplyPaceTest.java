package petrichor.transactions.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ApplyPaceTest {
    private static final long MIB = 1L << 20;

    private final ApplyPace pace = new ApplyPace(64 * MIB, Duration.ofSeconds(5));

    private void applied(long bytes, Duration time) {
        for (int i = 0; i < 30; i++) {
            pace.applied(bytes, time.toNanos());
        }
    }

    @Test
    void aFastStoreMayBeBehindByAsMuchAsFitsIntoMemory() {
        applied(4 * MIB, Duration.ofMillis(100));
        assertThat(pace.backlogBytesMax()).isEqualTo(64 * MIB);
        assertThat(pace.pieceBytesMax()).isEqualTo(4 * MIB);
    }

    @Test
    void aSlowStoreMayBeBehindByWhatItTakesInTime() {
        applied(2 * MIB, Duration.ofSeconds(1));
        assertThat(pace.backlogBytesMax()).isBetween(9 * MIB, 11 * MIB);
        assertThat(pace.pieceBytesMax()).isBetween(MIB, 3 * MIB);
    }

    @Test
    void whatIsNeverRefusedIsLittle() {
        assertThat(pace.backlogBytesMax()).isEqualTo(MIB);
        applied(300, Duration.ofSeconds(1));
        assertThat(pace.backlogBytesMax()).isEqualTo(MIB);
        assertThat(pace.pieceBytesMax()).isEqualTo(MIB / 4);
    }

    @Test
    void aStoreThatBecomesSlowIsNoticed() {
        applied(4 * MIB, Duration.ofMillis(100));
        applied(4 * MIB, Duration.ofSeconds(4));
        assertThat(pace.backlogBytesMax()).isLessThan(7 * MIB);
    }

    @Test
    void theBoundOfTheConfigurationHolds() {
        ApplyPace small = new ApplyPace(300, Duration.ofSeconds(5));
        assertThat(small.backlogBytesMax()).isEqualTo(300);
    }
}
