package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;

class FailureTest {
    @Test
    void aTextThatQuotesTheRequestIsCut() {
        Failure failure = new Failure(ErrorCode.INVALID_ARGUMENT, "no kind " + "x".repeat(1 << 20));
        assertThat(failure.text()).hasSizeLessThan(1_100).endsWith("characters more)");
        String pair = "\ud83d\ude00";
        Failure emoji = new Failure(ErrorCode.INVALID_ARGUMENT, "x" + pair.repeat(1_000));
        assertThat(emoji.text()).doesNotContain("\ud83d…");
    }
}
