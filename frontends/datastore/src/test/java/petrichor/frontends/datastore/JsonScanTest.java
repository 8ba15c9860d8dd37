package petrichor.frontends.datastore;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.RunQueryRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class JsonScanTest {
    private static final RequestShape COMMIT = RequestShape.of(CommitRequest.getDescriptor());
    private static final RequestShape QUERY = RequestShape.of(RunQueryRequest.getDescriptor());
    private static final String DIGITS = "1".repeat(1_000);

    @Test
    void longNumbersAreRefusedBareAndInQuotes() {
        for (String number :
                List.of(
                        "{\"mutations\":[{\"baseVersion\":" + DIGITS + "}]}",
                        "{\"mutations\":[{\"baseVersion\":\"" + DIGITS + "\"}]}",
                        "{\"mode\":" + DIGITS + "}",
                        "{\"mutations\":[{\"base_version\":\"" + DIGITS + "\"}]}",
                        // An escaped name is unknown to the scanner, but known to the parser.
                        "{\"mutations\":[{\"\\u0062aseVersion\":\"" + DIGITS + "\"}]}",
                        "{\"mutations\":[{\"insert\":{\"properties\":{\"a\":{\"doubleValue\":"
                                + DIGITS
                                + "}}}}]}",
                        "{\"mutations\":[{\"insert\":{\"properties\":{\"a\":{\"timestampValue\":\""
                                + DIGITS
                                + "\"}}}}]}")) {
            assertRefused(COMMIT, number, "characters");
        }
        assertRefused(QUERY, "{\"query\":{\"limit\":" + DIGITS + "}}", "characters");
    }

    @Test
    void longTextsAreNotNumbers() {
        assertThatCode(
                        () ->
                                measure(
                                        COMMIT,
                                        "{\"mutations\":[{\"insert\":{\"properties\":{\"a\":"
                                                + "{\"stringValue\":\""
                                                + DIGITS
                                                + "\"},\"b\":{\"blobValue\":\""
                                                + DIGITS
                                                + "\"}}}}]}"))
                .doesNotThrowAnyException();
    }

    @Test
    void longListsAreRefusedWhileTheyAreRead() {
        String many = "{},".repeat(RequestMeasure.LIST_ELEMENTS_MAX);
        assertRefused(COMMIT, "{\"mutations\":[" + many + "{}]}", "list");
        assertThatCode(
                        () ->
                                measure(
                                        COMMIT,
                                        "{\"mutations\":["
                                                + many.substring(0, many.length() - 1)
                                                + "]}"))
                .doesNotThrowAnyException();
    }

    @Test
    void deepNestingIsRefused() {
        assertRefused(COMMIT, "[".repeat(5_000_000), "deep");
        assertRefused(COMMIT, "{\"a\":".repeat(200), "deep");
    }

    @Test
    void everyElementCounts() {
        RequestMeasure measured = measure(COMMIT, "{\"mutations\": [{}, {}, {}]}");
        // the body, a name, the list, three objects
        assertThat(measured.elements()).isEqualTo(6);
        assertThat(measured.jsonMemory()).isGreaterThan(6 * 270);
    }

    @Test
    void lenientJsonIsRefused() {
        for (String lenient :
                List.of(
                        "{/*\"*/\"mode\":1}",
                        "{'mode':1}",
                        "{mode:1}",
                        "{\"mode\"=1}",
                        "{\"mode\":1;}",
                        "{\"mode\":1}{}",
                        "[1,]",
                        ")]}'\n{}",
                        "# c\n{}")) {
            assertRefused(COMMIT, lenient, "unexpected character");
        }
    }

    @Test
    void aBodyThatEndsEarlyIsRefused() {
        for (String cut : List.of("{\"mode\":", "{\"mode", "{", "[", "{\"mode\":\"a\\")) {
            assertRefused(COMMIT, cut, "ends in the middle");
        }
    }

    private static void assertRefused(RequestShape shape, String json, String why) {
        assertThatThrownBy(() -> measure(shape, json))
                .as(json.substring(0, Math.min(80, json.length())))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(why);
    }

    private static RequestMeasure measure(RequestShape shape, String json) {
        return JsonScan.measure(shape, json.getBytes(UTF_8));
    }
}
