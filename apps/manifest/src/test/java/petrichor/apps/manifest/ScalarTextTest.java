package petrichor.apps.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.yaml.YamlScalar;

/** The cases that {@code appinfo_oracle.py} does not have. */
class ScalarTextTest {
    @ParameterizedTest
    @CsvSource({
        "0b_, 0b_",
        "0x, 0x",
        "1e-7, 1e-07",
        "1.5e300, 1.5e+300",
        "-1e22, -1e+22",
        "-0.0, -0.0",
        "9999999999999998.0, 9999999999999998.0",
        "0.1, 0.1",
        "-1:00, -60"
    })
    void writesNumbersAsPythonDoes(String written, String expected) {
        assertThat(ScalarText.of(new YamlScalar(written, true, 1))).isEqualTo(expected);
        assertThat(ScalarText.of(new YamlScalar(written, false, 1))).isEqualTo(written);
    }

    @Test
    void veryLongTimesAreNotValid() {
        assertThat(TimeText.expiration("1 ".repeat(49) + "1")).isEqualTo(Duration.ofSeconds(50));
        assertThat(TimeText.expiration("1 ".repeat(200_000) + "1")).isNull();
    }

    @Test
    void veryLongNumbersStayAsTheyAre() {
        String digits = "1_".repeat(51);
        assertThat(ScalarText.of(new YamlScalar(digits, true, 1))).isEqualTo(digits);
    }
}
