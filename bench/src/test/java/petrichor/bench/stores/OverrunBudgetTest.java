package petrichor.bench.stores;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PatienceTest {
    @Test
    void aStoreIsLeftOutWhenAllThatItTookBeyondItsTimeIsTooMuchAndOthersAreNot() {
        Patience patience = new Patience(Duration.ofSeconds(10));
        assertThat(patience.spend("slow", Duration.ofSeconds(6))).isFalse();
        assertThat(patience.spend("slow", Duration.ofSeconds(-3))).isFalse();
        assertThat(patience.spend("slow", Duration.ofSeconds(5))).isTrue();
        assertThat(patience.exhausted("slow")).isTrue();
        assertThat(patience.exhausted("fast")).isFalse();
    }
}
