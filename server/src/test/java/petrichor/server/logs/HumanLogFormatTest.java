package petrichor.server.logs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that text chosen by others cannot control a terminal, or look like another record. */
class HumanLogFormatTest {
    /** Red, a forged record, text from right to left, a control sequence of 8 bits, a tag. */
    private static final String HOSTILE =
            "a\u001b[31mb\r\n12:00:00.000 error forged\u202ec\u009bd\u2028e\udb40\udc41f";

    private static final String ESCAPED =
            "a\\u001b[31mb\\u000d\\u000a12:00:00.000 error forged"
                    + "\\u202ec\\u009bd\\u2028e\\udb40\\udc41f";

    @Test
    void controlCharactersInAMessageAreEscaped() {
        String line = format(new HumanLogFormat(false), HOSTILE, null);
        assertThat(line).endsWith(ESCAPED + "\n");
        assertThat(line.lines()).hasSize(1);
        assertNothingControls(line);
    }

    @Test
    void controlCharactersInTheMessagesOfAnExceptionAreEscaped() {
        IllegalStateException thrown =
                new IllegalStateException("top " + HOSTILE, new RuntimeException("in " + HOSTILE));
        thrown.addSuppressed(new RuntimeException("beside " + HOSTILE));
        String text = format(new HumanLogFormat(false), "failed", thrown);
        assertThat(text.lines())
                .contains(
                        "java.lang.IllegalStateException: top " + ESCAPED,
                        "Caused by: java.lang.RuntimeException: in " + ESCAPED,
                        "\tSuppressed: java.lang.RuntimeException: beside " + ESCAPED)
                .anyMatch(
                        line ->
                                line.startsWith(
                                        "\tat " + HumanLogFormatTest.class.getName() + "."));
        assertNothingControls(text);
    }

    @Test
    void jsonContainsNoControlCharactersEither() {
        String line = format(new JsonLogFormat(), HOSTILE, new RuntimeException(HOSTILE));
        assertNothingControls(line);
        JsonObject object = JsonParser.parseString(line).getAsJsonObject();
        assertThat(object.get("message").getAsString()).isEqualTo(HOSTILE);
        assertThat(object.get("stack").getAsString()).contains(HOSTILE);
    }

    private static String format(Formatter format, String message, @Nullable Throwable thrown) {
        LogRecord event = new LogRecord(Level.SEVERE, message);
        event.setLoggerName("test");
        event.setThrown(thrown);
        return format.format(event);
    }

    private static void assertNothingControls(String text) {
        assertThat(text.replaceAll("[\n\t]", ""))
                .doesNotContainPattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");
    }
}
