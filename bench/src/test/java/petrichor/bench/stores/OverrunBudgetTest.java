package petrichor.bench.stores;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OverrunBudgetTest {
    @Test
    void onlyAStoreThatExhaustsItsOverrunBudgetIsExcluded() {
        OverrunBudget overruns = new OverrunBudget(Duration.ofSeconds(10));
        assertThat(overruns.spend("slow", Duration.ofSeconds(6))).isFalse();
        assertThat(overruns.spend("slow", Duration.ofSeconds(-3))).isFalse();
        assertThat(overruns.spend("slow", Duration.ofSeconds(5))).isTrue();
        assertThat(overruns.exhausted("slow")).isTrue();
        assertThat(overruns.exhausted("fast")).isFalse();
    }
}
