package petrichor.cli.tuples;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingCommandTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            textBlock =
                    """
                    "planned": 0, "formerRanges": 0, "goal": "NONE", "problem": "x" | true
                    "planned": 0, "formerRanges": 0, "goal": "NONE" | false
                    "planned": 1, "formerRanges": 0, "goal": "NONE", "problem": "x" | false
                    "planned": 0, "formerRanges": 1, "goal": "NONE", "problem": "x" | false
                    "planned": 0, "formerRanges": 0, "goal": "BYTES", "problem": "x" | false
                    "planned": 0, "formerRanges": 0, "goal": "NONE", "problem": "x", "move": {} | false
                    """)
    void aProblemEndsTheWaitOnceNothingIsTriedAgain(String status, boolean ends) {
        JsonObject answer = JsonParser.parseString("{" + status + "}").getAsJsonObject();
        assertThat(RingCommand.abandoned(answer)).isEqualTo(ends);
    }
}
