package petrichor.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PetrichorExceptionTest {
    @Test
    void theMessageShowsTheFactsThatTheTextNames() {
        PetrichorException failure =
                PetrichorException.invalid(
                        "the key {key} has {bytes} bytes", "bytes", 7, "key", "k", "limit", 5);
        assertThat(failure).hasMessage("the key k has 7 bytes");
        assertThat(failure.staticText()).isEqualTo("the key {key} has {bytes} bytes");
        assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
        assertThat(failure.facts()).isEqualTo(Map.of("key", "k", "bytes", 7, "limit", 5));
    }

    @Test
    void bracesInValuesOrWithoutAFactAreKept() {
        assertThat(PetrichorException.invalid("{a}{} {b} {", "a", "{c}", "c", "no"))
                .hasMessage("{c}{} {b} {");
        assertThat(PetrichorException.invalid("{{a}}", "a", 1)).hasMessage("{1}");
    }

    /** The cause of a failure may have no message. */
    @Test
    void aMissingValueIsShownAsNull() {
        IllegalStateException cause = new IllegalStateException();
        PetrichorException failure =
                PetrichorException.of(
                        ErrorCode.INTERNAL,
                        cause,
                        "it broke: {reason}",
                        "reason",
                        cause.getMessage());
        assertThat(failure).hasMessage("it broke: null").hasCause(cause);
    }

    @Test
    void aTextFromElsewhereIsNotStatic() {
        assertThat(new PetrichorException(ErrorCode.UNAVAILABLE, "{a}", Map.of("a", 1)))
                .hasMessage("{a}")
                .extracting(PetrichorException::staticText)
                .isEqualTo("");
    }
}
